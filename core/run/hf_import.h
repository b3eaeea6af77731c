#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/interop/hf_model.h"
#include "core/run/checkpoint_header.h"

namespace holo::run {

// A foreign model as a checkpoint of ours at step 0: its spec and scheme, no data of its own. The tokenizer beside it is named by its
// absolute path.
struct HfCheckpoint {
    CheckpointHeader header;
    interop::HfModel model;
    std::vector<std::string> notes;
};

// Throws Error as interop::openHfModel does, and (malformed) for a tokenizer with more entries than the embedding has rows.
HfCheckpoint openHfCheckpoint(const std::filesystem::path& path, interop::StoredFrequencies frequencies = interop::StoredFrequencies::Refuse);

// Writes `destination` as a run folder (run.json, exit.json, checkpoints/step-0 with the weights under our names in fp32, the tokenizer's file)
// from a foreign model: aside first, renamed last. Throws Error: usage if `destination` holds something, resource, and as above.
// `dryRun` checks all of it, headers and all, and writes nothing.
// Returns {format, destination, checkpoint, family, scheme, model, parameters, tensors: {used, total}, dtype, dry_run, sha256, notes}.
Json importHf(const std::filesystem::path& source, const std::filesystem::path& destination, interop::StoredFrequencies frequencies, bool dryRun = false);

// For a run folder that carries its tokenizer's file: the settings with that file's path, wherever the folder lies now.
void locateTokenizer(CheckpointHeader& header, const std::filesystem::path& modelFile);

}  // namespace holo::run
