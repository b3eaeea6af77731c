#pragma once

#include <filesystem>

#include "core/base/json.h"

namespace holo::run {

// True for what importCurveRuns() reads: a .csv file, a TensorBoard event file, or a folder with some in it or below it,
// each folder a run, as TensorBoard shows them.
bool isCurveSource(const std::filesystem::path& source);

// Curves of another tracker (Weights & Biases and trackio CSV, MLflow rows, TensorBoard events) as run folders PROJECT/runs/NAME, so that they
// stand beside our own: run.json without a spec, events.jsonl with one row a step, exit.json. Metrics that the window knows (loss, val_loss,
// grad_norm, lr, tok_s, tokens, under their usual names with or without "train/") get their columns, all others stay in the row under "metrics".
// Throws Error: usage (a run of that name is there, the folder is no project), malformed as the readers do.
// Returns {format, project, runs: [{run, name, steps, metrics}], dry_run, notes}.
Json importCurveRuns(const std::filesystem::path& source, const std::filesystem::path& project, bool dryRun);

}  // namespace holo::run
