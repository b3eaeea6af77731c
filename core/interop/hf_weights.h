#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/interop/hf_config.h"
#include "core/interop/row_maps.h"
#include "core/interop/tensor_set.h"

namespace holo::interop {

// A tensor put together from rows of others: its rows are those of the parts, one part after the other.
struct RowGather {
    struct Part {
        std::string source;
        std::vector<std::int64_t> sourceShape;
        Rows rows;  // of the source, in the order wanted; empty: all as they are
    };
    std::string target;
    std::vector<std::int64_t> shape;
    std::vector<Part> parts;
};

// From the tensors of a Hugging Face file to ours and back, as gathers of whole rows. Ours: embed.weight, blocks.K.{ln1, ln2}.{weight, bias},
// blocks.K.attn.{qkv, out}.{weight, bias}, blocks.K.mlp.{up, gate, down}.{weight, bias}, final_norm.{weight, bias}, head.weight; `qkv` holds all
// q heads, then all k heads, then all v heads in half-split pairing. q and k are permuted each with their own number of heads.
std::vector<RowGather> importPlan(const HfConfig& config);
// `pairing` is that of our own rows on the way out.
std::vector<RowGather> exportPlan(const HfConfig& config, ladder::Pairing pairing = ladder::Pairing::HalfSplit);

// What a set of tensors means for importing.
struct ImportReport {
    std::string prefix;                // in front of the names of the plan: "", or minus the family's own ("gpt_neox.", "model.")
    std::size_t used = 0;
    std::size_t total = 0;             // tensors of the set
    std::vector<std::string> frequencies;  // stored inv_freq tensors
    std::vector<std::string> notes;
};

// Checks that every source of the plan is there with its shape and a type we read; renames the sources in `plan` where the file leaves the
// family's prefix out. Throws Error: (malformed) listing all missing names or naming the first wrong shape, (unsupported) naming tensor and
// type. A head is needed unless the embeddings are tied; nothing is ever made up.
ImportReport checkTensors(std::vector<RowGather>& plan, const HfConfig& config, const TensorSet& tensors);

// Throws Error (malformed) if the tokenizer has more entries than the embedding rows; a note if it has fewer.
std::vector<std::string> checkVocabulary(std::uint64_t tokenizerEntries, const HfConfig& config, const std::string& source);

}  // namespace holo::interop
