#pragma once

#include <cstdint>
#include <string>

#include "core/run/run_directory.h"

namespace holo::run {

// Folder name of an evaluation below evals/: "needle-step-1600".
std::string evaluationId(const std::string& protocol, std::int64_t step);

// What an event row, batch-result.json and a table show of an evaluation document: its mean and chance (needle: also
// the mean at each length), or its rows.
Json evaluationDigest(const std::string& protocol, const Json& document);

// Digests of a run's evaluations at a step: {"needle": {"mean", "chance", …}, "perplexity": {"rows": …}}; empty if there are none.
Json evaluationsAt(const RunDirectory& run, std::int64_t step);

}  // namespace holo::run
