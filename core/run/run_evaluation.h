#pragma once

#include <cstdint>
#include <functional>

#include "core/data/corpus.h"
#include "core/nn/transformer.h"
#include "core/run/event_log.h"
#include "core/run/run_directory.h"
#include "core/run/worker.h"

namespace holo::run {

struct EvaluationRequest {
    const config::RunSpec* spec = nullptr;
    std::filesystem::path project;
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    bool duringTraining = false;   // the smaller number of trials
    std::function<void(const Progress&)> progress;
};

// Runs the protocols of the spec that have no summary at this step yet, on a frozen copy of the model, and records each in the event log.
// Throws Error (interrupted) when a signal asks to stop.
void evaluateRun(const RunDirectory& run, const nn::Transformer& model, const data::Corpus& corpus, const EvaluationRequest& request, EventLog& events);

}  // namespace holo::run
