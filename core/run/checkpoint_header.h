#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/project.h"
#include "core/interop/safetensors.h"

namespace holo::run {

// What model.safetensors says of itself: its `__metadata__` holds one JSON document under "holonomy" (and "format": "pt", as the tools that
// read such files expect). A pure function of spec and step: no time, path, host or attempt.
//   {"format":1, "run":…, "step":…, "tokens":…, "vocab":…, "data_hash":…, "ladders":[{"name","parameters","hash"}], "scheme": trained with,
//    "spec": {…}, "initial": {"run","step","sha256","scheme"} (only if training continued from another run's checkpoint),
//    "imported": {"family", "dtype" of the weights there, "" if mixed} (only for weights that were read from a foreign model)}
struct CheckpointHeader {
    std::string run;
    std::int64_t step = 0;
    std::int64_t tokens = 0;
    int vocab = 0;
    std::string dataHash;
    config::RunSpec spec;
    struct LadderNote {
        std::string name, parameters, hash;
    };
    std::vector<LadderNote> ladders;
    Json initial;  // null: trained from the start
    Json imported; // null: not read from a foreign model

    Json toJson() const;
    // The model with vocabulary and derived sizes filled in.
    config::ModelSpec model() const { return config::resolved(spec.model, vocab); }
};

inline constexpr const char* kHeaderKey = "holonomy";

// Nothing if the file does not come from us. Throws Error (malformed) if our own header is broken.
std::optional<CheckpointHeader> readCheckpointHeader(const interop::SafetensorsFile& file);

// The model.safetensors that CHECKPOINT means: a run folder (its newest complete checkpoint), a step-N folder, or the file itself. Nothing if
// there is no such file below it (a Hugging Face folder, say). Throws Error (malformed) if a run has no complete checkpoint.
std::optional<std::filesystem::path> modelFileOf(const std::filesystem::path& checkpoint);

// The run folder that a model file lies in, if it does: …/runs/ID/checkpoints/step-N/model.safetensors.
std::optional<std::filesystem::path> runFolderOf(const std::filesystem::path& modelFile);

}  // namespace holo::run
