#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/project.h"
#include "core/model/run_row.h"
#include "core/stats/statistics_table.h"
#include "core/store/index_queries.h"

namespace holo::report {

// Which number of a run is compared over seeds.
struct ScoreRequest {
    std::string metric = "needle";       // one of metricNames()
    std::int64_t length = 0;             // prompt or window length; 0: over all lengths (needle), the longest within the context (perplexity)
    std::vector<std::string> arms;       // empty: all
    std::optional<double> floor;         // of "learned"
};

std::vector<std::string> metricNames();

// The runs that stand for a project's arms and seeds: those of the present project file where it has any, else all of them; of several with
// one arm and seed the one that got farthest. What was left out is said in `notes`.
std::vector<model::RunRow> chosenRuns(const std::vector<model::RunRow>& rows, const config::Project* project, std::vector<std::string>& notes);

// Scores of finished runs by arm, in the order of the project file, with the series over steps where evaluations during training exist.
// Throws Error (usage) for an unknown metric or arm, a length that was not evaluated, or a run that answered other prompts than most.
stats::StatisticsInput projectScores(const store::Queries& queries, const config::Project* project, const ScoreRequest& request, std::vector<std::string>& notes);

}  // namespace holo::report
