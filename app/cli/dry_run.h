#pragma once

#include <vector>

#include "app/cli/context.h"
#include "core/run/batch.h"

namespace holo::cli {

// `--batch PROJECT --dry-run`: every run with its state, resolved spec, parameter count, memory and time; nothing is started or written.
Output dryRun(const std::vector<run::Job>& jobs);

}  // namespace holo::cli
