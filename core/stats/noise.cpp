#include "core/stats/noise.h"

#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"

namespace holo::stats {

NoiseCorrection noiseCorrected(std::span<const double> values, std::span<const double> trials)
{
    NoiseCorrection result;
    result.variance = sampleVariance(values);
    if (!result.variance) {
        result.note = "No spread: fewer than two finite scores.";
        return result;
    }
    if (trials.size() != values.size()) {
        result.note = "No correction: the number of trials behind each score is not known.";
        return result;
    }
    std::vector<double> parts;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            continue;
        if (values[i] < 0 || values[i] > 1) {
            result.note = "No correction: the scores are not shares between 0 and 1.";
            return result;
        }
        if (!(trials[i] >= 2) || std::isinf(trials[i])) {
            result.note = "No correction: it takes at least two trials behind each score.";
            return result;
        }
        parts.push_back(values[i] * (1 - values[i]) / (trials[i] - 1));
    }
    result.trialVariance = *mean(parts);
    result.corrected = *result.variance - *result.trialVariance;
    result.sd = std::sqrt(std::max(0.0, *result.corrected));
    if (*result.corrected < 0)
        result.note = "The trials alone explain the spread between seeds.";
    return result;
}

}  // namespace holo::stats
