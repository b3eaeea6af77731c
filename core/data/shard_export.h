#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/json.h"
#include "core/data/token_shard.h"

namespace holo::data {

struct ShardExport {
    std::filesystem::path source;       // a folder of prepared data, or a token shard
    TokenType type = TokenType::Auto;   // of a shard without header
    std::string part = "train";         // of a folder: train or val
    std::string format;                 // llm.c | nanogpt | megatron | olmo
    std::filesystem::path destination;  // the file to write; for megatron the .bin, its .idx goes beside it
    std::uint64_t sequence = 0;         // megatron: ids of a sequence; 0: one a document, which ends with the end-of-document id
};

// Writes one part as another program's training file: llm.c with its header; nanoGPT and OLMo the ids alone (2 bytes up to 65 536 ids, else 4);
// Megatron-LM and GPT-NeoX as .bin and .idx, sequences of `sequence` ids as the pre-shuffled Pythia data has (2 049), the last one shorter.
// Returns {format, as, files, tokens, width, sequences (megatron)}. Throws Error (usage) for a destination that is there.
Json exportShards(const ShardExport& options);

}  // namespace holo::data
