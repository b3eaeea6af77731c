#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/statistics.h"
#include "core/stats/sample.h"

namespace holo::stats {

// A statistic of one or more samples; returns NaN where it does not exist for a resample.
using Statistic = std::function<double(std::span<const std::vector<double>>)>;

struct BootstrapOptions {
    double level = 0.95;
    std::size_t resamples = 9999;
    std::uint64_t seed = 0;
};

struct BootstrapResult {
    std::optional<double> estimate;
    std::optional<Interval> percentile;
    std::optional<Interval> bca;  // bias-corrected and accelerated (Efron 1987); empty where a jackknife or the bias is degenerate, or beyond 2000 values
    double standardError = 0;
    std::string note;
};

// Resamples seeds within each sample. With n = 6 only 462 resamples differ; the percentile interval is then too narrow.
BootstrapResult bootstrap(std::span<const std::vector<double>> samples, const Statistic& statistic, BootstrapOptions options = {});

// SD (n−1) of `a` over that of `b`. Exchanging the arms inverts ratio and intervals. At least three finite values an arm.
SdRatio sdRatio(const Sample& a, const Sample& b, BootstrapOptions options = {});

// Intervals from given replicates. `jackknife[j][i]`: the statistic without value i of sample j.
Interval percentileInterval(std::span<const double> replicates, double level);
std::optional<Interval> bcaInterval(double estimate, std::span<const double> replicates, std::span<const std::vector<double>> jackknife, double level);

// Seeds outer, trials inner: k[i] of n[i] trials right for seed i. Draws seeds with replacement and for each drawn seed its trials anew (binomial),
// then takes the mean over seeds; `sd` is the interval of the SD over seeds.
struct TwoLevelResult {
    std::optional<double> mean;
    std::optional<Interval> meanInterval;
    std::optional<double> sd;
    std::optional<Interval> sdInterval;
    std::string note;
};
TwoLevelResult twoLevelBootstrap(std::span<const std::int64_t> k, std::span<const std::int64_t> n, BootstrapOptions options = {});

}  // namespace holo::stats
