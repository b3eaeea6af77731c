#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/data/split_pattern.h"

namespace holo::data {

struct AddedToken {
    std::uint32_t id = 0;
    std::string text;
    bool isSpecial = false;
};

// What a tokenizer.json says, checked, with tokens as the bytes they stand for.
struct BpeDescription {
    std::unordered_map<std::string, std::uint32_t> vocabulary;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;  // by rank
    std::vector<std::uint32_t> merged;                            // the union of each
    std::vector<AddedToken> added;
    std::uint32_t size = 0;  // one more than the largest id
    SplitPattern pattern = SplitPattern::Gpt2;
    bool composes = false;        // normaliser NFC
    bool addsBlank = false;       // in front of a text that does not begin with one
    bool ignoresMerges = false;   // a word that is a token needs no merging
};

// Throws Error (malformed, unsupported) that names `source` and the field.
BpeDescription readBpeDescription(const std::string& text, const std::string& source);

}  // namespace holo::data
