#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holo::data {

// How a byte-level BPE tokenizer cuts text into words before merging. Hand-written scanners for the published regular expressions,
// with Unicode categories from ICU; they never look behind the place where they start.
enum class SplitPattern {
    Gpt2,    // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+   (GPT-2, GPT-NeoX)
    Llama3,  // (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
    Qwen2,   // the same with single digits
    Whole,   // no cut
};

// The pattern with this regular expression, letter by letter.
std::optional<SplitPattern> splitPatternFromRegex(std::string_view regex);

// Length of the word at the start of `text`, which is valid UTF-8 and not empty.
std::size_t nextWord(SplitPattern pattern, std::string_view text);

// True if every pattern cuts between text[at − 1] and text[at], whatever follows, and normalisation to NFC does not reach across.
bool isCutEverywhere(std::string_view text, std::size_t at);

}  // namespace holo::data
