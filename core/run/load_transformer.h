#pragma once

#include <filesystem>
#include <string>

#include "core/nn/transformer.h"
#include "core/run/checkpoint_header.h"

namespace holo::run {

struct LoadedTransformer {
    CheckpointHeader header;
    std::filesystem::path file;
    ladder::Scheme schemeRun;     // equal to header.spec.scheme unless another was asked for
    nn::Transformer model;        // without gradients
};

// The model of CHECKPOINT (run folder, step-N folder, model file) on the scheme it was trained with, or on `scheme` (as SCHEME, if not empty).
// Throws Error: malformed (missing, broken), unsupported (not ours), usage (scheme).
LoadedTransformer loadTransformer(const std::filesystem::path& checkpoint, const std::string& scheme = {}, at::Device device = at::kCPU);

}  // namespace holo::run
