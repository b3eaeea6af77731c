#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holo::eval {

// Passkey retrieval (Landmark attention, arXiv 2305.16300; YaRN; FoPE): task line, filler, a line that states the key twice, filler, question and
// answer stem, joined by line ends. Filler sentences are repeated and cut at character counts; their share before the key is uniform; the key is
// uniform in 1 … 50 000. The most filler is taken whose prompt leaves room for ten generated tokens.
// Scores of a row: the teacher-forced ones of the needle protocol, and of the generated text: the first run of digits is the key (generated_exact),
// the key occurs as a whole number (generated_contains).
struct PasskeyPrompt {
    std::string text;
    std::string key;
    std::size_t infoAt = 0;  // byte at which the line with the key begins
    double share = 0;        // of the filler before it
};
PasskeyPrompt passkeyPrompt(std::int64_t characters, std::uint64_t seed, std::uint64_t corpus, std::int64_t length, std::int64_t trial);

// The first run of digits without leading zeros; empty if there is none.
std::string passkeyAnswer(std::string_view generated);

}  // namespace holo::eval
