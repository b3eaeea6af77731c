#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/config/project.h"
#include "core/data/corpus.h"
#include "core/train/checkpoint.h"

namespace holo::train {

struct StepResult {
    std::int64_t step = 0;
    std::int64_t tokens = 0;     // of the run so far
    double loss = 0;             // nats a scored token, over all micro-batches
    double gradNorm = 0;         // before clipping
    double learningRate = 0;
    std::string skipped;         // why nothing changed; empty: applied
};

// The step loop's body. Step s (from 1) reads positions (s−1)·W … s·W−1 of the run's window order, W = batch · accumulate: a pure function
// of (seed, s), as are the learning rate and the dropout masks, so that a resumed run needs no replay and equals the unbroken one bit for
// bit on the CPU. Loss and gradient are sums over scored tokens divided by their number, however the windows are split.
class Trainer {
public:
    // `precision` "fp32" or "bf16" ("auto" is settled by chooseStart). Borrows model and corpus.
    Trainer(const config::RunSpec& spec, nn::Transformer& model, const data::Corpus& corpus);
    ~Trainer();

    // The precision in force from here on: as given, or by a probe of both if it says "auto". Returns a sentence about the choice.
    std::string setPrecision(const std::string& precision);

    std::int64_t totalSteps() const;
    const TrainingState& state() const;
    bool done() const { return state().step >= totalSteps(); }

    // One optimiser step. Throws Error (numeric) for a non-finite loss or gradient under policy "stop", or too many skips in a row: step and
    // first bad parameter are named, weights, moments and state are those of the step before.
    StepResult step();

    SavedCheckpoint save(const std::filesystem::path& checkpointsFolder, run::CheckpointHeader header);
    void restore(const std::filesystem::path& stepFolder);
    void addActiveSeconds(double seconds);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace holo::train
