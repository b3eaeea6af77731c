#pragma once

#include <span>
#include <string>

#include "core/model/statistics.h"

namespace holo::stats {

struct HumpRule {
    int fewest = 4;        // fewer scores are never called two-humped
    double minGap = 0.1;   // a narrower gap never counts, in units of the score
    double maxP = 0.01;
    double minSeparation = 2;  // gap over the pooled SD within the two sides; a straggler of one broad hump stays below
};

// Are the scores two clusters with nothing between? g = largest gap between neighbouring sorted scores, r = their range.
// If n scores were spread evenly, the chance that the largest of their n−1 spacings takes a share x = g/r or more of the range is
// Σ_{j>=1} (−1)^{j+1} C(n−1, j) (1 − jx)₊^{n−2}   (uniform spacings; Pyke 1965).
// The even spread is the flattest single hump, so a small chance speaks for two. One stuck seed among many counts as a hump of one.
HumpResult findHumps(std::span<const double> values, HumpRule rule = {});

}  // namespace holo::stats
