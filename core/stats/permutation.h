#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/statistics.h"
#include "core/stats/sample.h"
#include "core/stats/spread_tests.h"

namespace holo::stats {

enum class SpreadStatistic {
    LogVarianceRatio,         // |ln(s₁²/s₂²)|
    MeanAbsoluteDeviation,    // |mean|dev₁| − mean|dev₂||
};

struct PermutationOptions {
    std::uint64_t exactLimit = 50000;  // all splits are counted up to this number
    std::size_t resamples = 9999;      // else this many drawn ones, p = (hits+1)/(resamples+1)
    std::uint64_t seed = 0;
};

// Permutes the centred scores between two arms, so that a difference of means does not count as one of spread.
// p = share of splits whose statistic is at least the observed one. Exchangeability after centring is approximate for few seeds.
TestResult permutationSpread(const Sample& a, const Sample& b, SpreadStatistic statistic, Centre centre = Centre::Median, PermutationOptions options = {});

// Signs of the differences flipped within pairs; statistic is the mean difference, two-sided. Exact up to exactLimit sign patterns.
TestResult pairedPermutation(std::span<const double> x, std::span<const double> y, PermutationOptions options = {});

}  // namespace holo::stats
