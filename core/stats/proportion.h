#pragma once

#include <cstdint>
#include <span>

#include "core/model/statistics.h"

namespace holo::stats {

// Wilson score interval (1927), clamped to [0, 1]; k = 0 begins at exactly 0 and k = n ends at exactly 1. n = 0 gives [0, 1].
// z = 1.959963984540054 is 95 %. Throws Error (argument) unless 0 <= k <= n.
Interval wilson(std::int64_t k, std::int64_t n, double z = 1.959963984540054);

// Share of finite scores >= floor (<= floor where lower is better).
LearnedShare learnedShare(std::span<const double> values, double floor, bool lowerIsBetter = false);

}  // namespace holo::stats
