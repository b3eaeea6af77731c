#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/statistics.h"

namespace holo::stats {

// x[i] and y[i] belong to the same seed. Pairs with a non-finite member are left out and counted in the note.

// Equal variances of paired scores: r = corr(x+y, x−y), t = r√((n−2)/(1−r²)), two-sided (Pitman 1939, Morgan 1939). `statistic` is r.
TestResult pitmanMorgan(std::span<const double> x, std::span<const double> y);

// Zeros are dropped, ties get mid-ranks, the statistic is the smaller of the two rank sums, two-sided.
// p is exact (all 2^n signs, ties included) up to 50 pairs without zeros or ties and up to 13 pairs with them; else normal with tie correction
// and without continuity correction. This is the rule of scipy.stats.wilcoxon.
TestResult wilcoxonSignedRank(std::span<const double> x, std::span<const double> y);

// Outcomes of two arms on the same units.
struct PairedCounts {
    std::int64_t both = 0;
    std::int64_t onlyFirst = 0;
    std::int64_t onlySecond = 0;
    std::int64_t neither = 0;
};
PairedCounts pairedCounts(const std::vector<bool>& first, const std::vector<bool>& second);

// Exact binomial test of the discordant pairs, two-sided (McNemar 1947). No discordant pair: p = 1.
TestResult mcnemarExact(const PairedCounts& counts);

// rows: units, columns: k arms, true where learned. χ²(k−1) (Cochran 1950). All rows constant: no p.
TestResult cochranQ(std::span<const std::vector<bool>> rows);

}  // namespace holo::stats
