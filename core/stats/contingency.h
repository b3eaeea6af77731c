#pragma once

#include <cstdint>

#include "core/model/statistics.h"

namespace holo::stats {

// k of n seeds learned, in two arms.
struct TwoShares {
    std::int64_t k1 = 0;
    std::int64_t n1 = 0;
    std::int64_t k2 = 0;
    std::int64_t n2 = 0;
};

// Two-sided: sum of the tables that are no likelier than the observed one, margins fixed. `statistic` is the odds ratio (may be infinite, empty if 0/0).
// Throws Error (argument) unless 0 <= k <= n.
TestResult fisherExact(const TwoShares& shares);

// Unconditional, two-sided, score statistic with pooled variance; p is the maximum over the nuisance share (Barnard 1945). At most 2000 seeds an arm.
// Outcomes that tie with the observed one count whatever rounding says, so that exchanging arms, or right and wrong, changes nothing
// (scipy.stats.barnard_exact compares rounded scores and loses some of these ties).
TestResult barnardExact(const TwoShares& shares);

}  // namespace holo::stats
