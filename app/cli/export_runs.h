#pragma once

#include <filesystem>
#include <vector>

#include "app/cli/context.h"

namespace holo::cli {

struct RunExport {
    std::vector<std::filesystem::path> runs;
    std::string format = "csv";  // csv | tensorboard
    std::filesystem::path out = "export";
    bool dryRun = false;
};

// `export RUN… --format csv|tensorboard --out DIR`: curves and evaluations of runs.
Output exportRuns(const RunExport& options);

}  // namespace holo::cli
