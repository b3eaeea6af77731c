#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/config/project.h"
#include "core/run/run_directory.h"

namespace holo::run {

struct Progress {
    std::int64_t step = 0;
    std::int64_t steps = 0;
    double loss = 0;
    double tokensPerSecond = 0;
    std::string phase;   // "train", "evaluate needle", "prepare data"
    double share = 0;    // of the phase, 0 … 1
};

struct WorkerOptions {
    std::filesystem::path project;        // folder: relative sources, data folder
    std::filesystem::path folder;         // the run's; made if it is not there
    config::RunSpec spec;
    Json initial;                         // null, or where training continues from: {"checkpoint": path, "run", "step", "sha256", "scheme"}
    std::vector<std::string> argv;
    std::string revision;                 // of the build
    std::string device = "auto";          // auto | cpu | cuda:K
    int threads = 0;                      // 0: as the run had them, else all cores
    std::int64_t stopAt = -1;             // save at exactly this step, evaluate nothing, leave with 0
    bool startOver = false;               // begin at step 0 although there are checkpoints; they are removed
    bool evaluate = true;
    std::function<void(const Progress&)> progress;
    std::function<Error(std::exception_ptr)> translate;  // any exception as an Error
};

// Trains one run from where it stands to its end, then evaluates it: the whole life of a worker process. Resumes from the newest complete
// checkpoint, says in events.jsonl what it skipped, obeys signals and control.json, and writes exit.json last, whatever happens.
// A run that is finished trains nothing and makes up for missing evaluations. Throws only Error (busy) if another process holds the run, and
// Error (resource) if the folder cannot be made or locked.
Exit runWorker(const WorkerOptions& options);

}  // namespace holo::run
