#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/statistics.h"

namespace holo::stats {

// Time of one seed: its emergence if `observed`, else the end of its budget (right-censored).
struct Duration {
    double step = 0;
    bool observed = false;
};

struct KaplanMeier {
    std::vector<SurvivalPoint> curve;  // one point an event step; `emerged` = 1 − S
    std::optional<double> median;      // first step with S <= ½
    double restrictedMean = 0;         // area under S up to the horizon
    double restrictedMeanError = 0;    // Greenwood, Σ [area from t_i on]² d_i/(n_i(n_i−d_i))
    double horizon = 0;
};

// Kaplan and Meier (1958). Intervals: exponential Greenwood, exp(−exp(ln(−ln S) ± z·√(Σ d/(n(n−d)))/ln S)), within [0, 1].
// Censored seeds count as at risk at their own step. Durations must be finite.
KaplanMeier kaplanMeier(std::span<const Duration> durations, double horizon, double z = 1.959963984540054);

// Log-rank over k arms, χ²(k−1) (Mantel 1966, Peto and Peto 1972). No event, or fewer than three seeds in an arm: no p.
struct DurationSample {
    std::string name;
    std::vector<Duration> durations;
};
TestResult logRank(std::span<const DurationSample> samples);

}  // namespace holo::stats
