#pragma once

#include <filesystem>
#include <string>

#include "core/base/json.h"

namespace holo::run {

struct ExportOptions {
    std::string scheme;  // as SCHEME: what the exported model runs with; empty: what it was trained with
    std::string dtype;   // F32, F16, BF16; empty: the type of an import whose weights are as they came, else F32
    std::string build;   // revision of this program, for the file's metadata
    bool customCode = false;  // the modelling file also where a stock family holds the model: its angles are float64, transformers' are float32
    bool dryRun = false;      // everything but the writing
};

// CHECKPOINT of ours as a folder that transformers loads: config.json, model.safetensors, the tokenizer's file where there is one. One ladder for
// all heads becomes a model of a stock family (gpt_neox, llama, mistral, qwen2, olmo); what no family or rope type holds, hybrids above all,
// goes with a modelling file of its own, to be loaded with trust_remote_code. Throws Error: unsupported (naming the setting), usage, resource.
// Returns {format, destination, family, scheme, trained_with, custom_code, files, dtype, sha256, notes}.
Json exportHf(const std::filesystem::path& checkpoint, const std::filesystem::path& destination, const ExportOptions& options);

// One safetensors file with weights under our names and everything that is known of them as strings in `__metadata__`; our own loader reads it.
// Returns {format, destination, tensors, bytes, sha256, notes}.
Json exportSafetensors(const std::filesystem::path& checkpoint, const std::filesystem::path& destination, const ExportOptions& options);

}  // namespace holo::run
