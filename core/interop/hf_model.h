#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/interop/hf_config.h"
#include "core/interop/hf_weights.h"
#include "core/interop/tensor_set.h"

namespace holo::interop {

// Which frequencies hold where a file stores a rotary buffer that its config contradicts.
enum class StoredFrequencies { Refuse, TakeConfig, TakeFile };

// A model in Hugging Face's layout, checked down to the last tensor before the first weight is read.
struct HfModel {
    HfConfig config;              // its `rope` is what runs, after the choice about stored frequencies
    std::filesystem::path configFile;
    TensorSet tensors;
    std::vector<RowGather> plan;  // to our names, sources as in the files
    ImportReport report;
    std::string dtype;            // of all used tensors; empty where they differ
    std::vector<std::string> notes;  // config, tensors, frequencies
};

// True if `path` is a folder with config.json and weights, or a weights file with config.json beside it. Pickled weights count too: opening
// them gives the reason why not.
bool isHfModel(const std::filesystem::path& path);

// Throws Error: malformed (missing, extra-shaped or broken parts, all missing tensors listed), unsupported (architecture, rope type, pickled
// weights, stored frequencies that differ: both values shown).
HfModel openHfModel(const std::filesystem::path& path, StoredFrequencies frequencies = StoredFrequencies::Refuse);

}  // namespace holo::interop
