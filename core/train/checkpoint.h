#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/nn/transformer.h"
#include "core/run/checkpoint_header.h"
#include "core/train/adamw.h"

namespace holo::train {

// Where a run stands beside weights and moments. The data order and all random numbers are pure functions of the step, so this is all.
struct TrainingState {
    std::int64_t step = 0;          // steps done, skipped ones too
    std::int64_t tokens = 0;        // inputs read
    std::int64_t updates = 0;       // optimiser updates
    std::int64_t skipped = 0;       // steps that changed nothing, by non-finite values
    std::int64_t skippedInRow = 0;
    double activeSeconds = 0;
    std::string precision;          // "fp32" or "bf16"
    int threads = 0;
    double lastLoss = 0;

    Json toJson() const;
    static TrainingState fromJson(const Json& json, const std::string& source);  // throws Error (malformed)
};

struct SavedCheckpoint {
    std::filesystem::path folder;
    std::string modelSha256;
};

// Writes checkpoints/step-N: everything aside, synced, with a manifest of sizes and hashes, renamed last; then deletes the oldest complete
// ones beyond `keep`. A checkpoint of this step that is there and complete is left as it is. Throws Error: resource on any failing call
// (older checkpoints are intact), numeric if a weight or moment is not finite (nothing is written).
SavedCheckpoint saveCheckpoint(const std::filesystem::path& checkpointsFolder, const nn::Transformer& model, const AdamW& optimizer, const TrainingState& state,
    const run::CheckpointHeader& header, int keep);

// Fills weights and moments. Throws Error (malformed) naming tensor and shape if something is missing, surplus or does not fit.
TrainingState loadCheckpoint(const std::filesystem::path& folder, nn::Transformer& model, AdamW& optimizer);

// The weights alone, in F32 or in a type that is widened to it; exports may have a narrower one.
void loadWeights(const interop::SafetensorsFile& file, nn::Transformer& model);

// Compares the coefficients of series (FoPE) that the file keeps with those of the model's scheme. They are always made anew; where the stored
// ones are others (1e−6), the model was trained on them, and Error (unsupported) names the first pair.
void checkSeries(const interop::SafetensorsFile& file, const nn::Transformer& model);

// Removes what an interrupted save or deletion left; one sentence for each.
std::vector<std::string> removeLeftovers(const std::filesystem::path& checkpointsFolder);

// Throws Error (resource) unless the file system has room for the checkpoints that will be kept and one more.
void checkFreeSpace(const std::filesystem::path& folder, std::int64_t checkpointBytes, int keep);

}  // namespace holo::train
