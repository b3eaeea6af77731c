#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/statistics.h"
#include "core/stats/emergence.h"

namespace holo::stats {

// One arm of a project, or one list of a values file.
struct ArmScores {
    std::string arm;
    std::vector<double> values;
    std::vector<std::int64_t> seeds;                // of values; empty: 0, 1, 2 … and no pairing with other arms
    std::vector<double> trials;                     // behind each value; empty: unknown
    std::vector<std::vector<SeriesPoint>> series;   // evaluations over steps of each value; empty: none
    std::vector<double> budgets;                    // last step of each run; empty: the last evaluation
    std::vector<double> perplexities;               // of each value; empty: unknown
};

struct StatisticsInput {
    std::string metric = "needle";
    std::vector<ArmScores> arms;
    bool lowerIsBetter = false;
    std::optional<double> floor;               // of "learned"; empty: ½ where all scores lie in [0, 1], else none
    std::optional<double> emergenceThreshold;  // empty: the floor
    std::optional<Plateau> plateau;
    std::uint64_t seed = 0;                    // of resampling
};

// Everything the `stats` document holds. Throws Error (argument) if lists of one arm differ in length, arms share a name, or an arm repeats a seed.
StatisticsTable statisticsTable(const StatisticsInput& input);

// {"groups": {"arm": [values]}}, optional: "metric", "floor", "lower_is_better", "seeds": {"arm": [ids]}, "trials": {"arm": [n]}.
// Values may be numbers, "nan", "inf", "-inf" or null (missing). Throws Error (malformed) that names the field; unknown keys are refused.
StatisticsInput statisticsInputFromValuesJson(std::string_view text, const std::string& source);
StatisticsTable statisticsFromValuesJson(std::string_view text, const std::string& source);

}  // namespace holo::stats
