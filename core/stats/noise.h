#pragma once

#include <span>

#include "core/model/statistics.h"

namespace holo::stats {

// s² − mean[p(1−p)/(trials−1)]: the variance between seeds without the noise of a finite number of trials.
// Scores must be shares in [0, 1] and every score needs its trials (>= 2); else nothing, with the reason.
NoiseCorrection noiseCorrected(std::span<const double> values, std::span<const double> trials);

}  // namespace holo::stats
