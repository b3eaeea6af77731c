#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/project.h"
#include "core/data/corpus.h"
#include "core/ladder/plan.h"
#include "core/run/run_directory.h"

namespace holo::run {

// What run.json says: the resolved spec and everything one needs to repeat the run or to doubt it.
struct RunRecord {
    std::string run;
    config::RunSpec spec;
    config::ModelSpec model;      // resolved
    const ladder::Plan* plan = nullptr;
    const data::Corpus* corpus = nullptr;
    std::vector<std::string> argv;
    std::string revision;
    std::string device;
    std::string precision;
    std::string precisionNote;
    int threads = 0;
    Json initial;
};

Json runRecordJson(const RunRecord& record);

// Spec and origin of a run folder that was prepared or begun before. Throws Error (malformed).
struct StoredRun {
    config::RunSpec spec;
    Json initial;
    int threads = 0;
    std::string dataHash;
};
StoredRun readStoredRun(const RunDirectory& run);

// A run.json that holds only what has to be known before the first start.
Json preparedRunJson(const std::string& run, const config::RunSpec& spec, const Json& initial);

}  // namespace holo::run
