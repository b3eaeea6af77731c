#pragma once

#include <filesystem>

#include "core/base/json.h"
#include "core/config/project.h"
#include "core/run/checkpoint_header.h"

namespace holo::run {

// Where the training of `spec` in `folder` begins instead of at random weights:
//   {"checkpoint": path relative to `folder`, "run", "step", "sha256", "trained_context", "trained_with", "runs_with": resolved schemes}
Json continuationOf(const std::filesystem::path& modelFile, const CheckpointHeader& header, const config::RunSpec& spec, const std::filesystem::path& folder);

// The same for a run that goes on from the run `from` beside it; null if that is empty. Throws Error (usage) if that run is not finished.
Json continuationFromRun(const std::string& from, const config::RunSpec& spec, const std::filesystem::path& folder);

// The scheme to run a checkpoint's weights with: `text` as SCHEME, what it leaves out taken from their training; empty: as trained. Throws
// Error (usage).
ladder::Scheme schemeFor(const CheckpointHeader& header, const std::string& text);
ladder::ModelShape shapeOf(const CheckpointHeader& header);

}  // namespace holo::run
