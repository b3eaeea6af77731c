#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/run/checkpoint_header.h"

namespace holo::run {

struct ModelOptions {
    std::string scheme;               // as SCHEME; empty: as trained
    int threads = 0;
    std::string precision = "auto";   // auto counts as fp32 here: what is measured should not depend on a probe
};

// A trained model for the verbs that look at one, without a tensor in sight. Not for use from several threads.
class OpenModel {
public:
    virtual ~OpenModel() = default;
    virtual const CheckpointHeader& header() const = 0;
    // fp32 logits [positions][vocabulary]. Throws Error (usage) for tokens and positions out of range.
    virtual std::vector<std::vector<float>> logits(const std::vector<std::int64_t>& tokens, const std::vector<std::int64_t>& positions) = 0;
};

// CHECKPOINT as modelFileOf() reads it. Throws Error: malformed, unsupported, usage (scheme).
std::unique_ptr<OpenModel> openModel(const std::filesystem::path& checkpoint, const ModelOptions& options = {});

}  // namespace holo::run
