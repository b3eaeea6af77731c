#pragma once

#include <filesystem>
#include <string>

#include "app/cli/context.h"

namespace holo::cli {

struct ModelExport {
    std::filesystem::path checkpoint;
    std::filesystem::path destination;
    std::string format;   // hf | safetensors
    std::string scheme;   // as SCHEME; empty: as trained
    std::string dtype;    // F32 | F16 | BF16; empty: as fits
    bool customCode = false;
    bool dryRun = false;
};

// `export CHECKPOINT DEST --format hf|safetensors`.
Output exportModel(const ModelExport& options);

}  // namespace holo::cli
