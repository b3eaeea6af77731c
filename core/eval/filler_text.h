#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/data/corpus.h"

// Words that needles hide among.
namespace holo::eval {

// A part of a prompt that is placed as a whole: a word, a piece of a long one, a needle, a question.
struct TextUnit {
    std::string text;         // without the blank before it
    std::int64_t tokens = 0;  // with it, encoded alone: an estimate
    bool joined = false;      // continues the word before it, no blank between
};

TextUnit textUnit(const data::Corpus& corpus, std::string text, bool joined = false);

// Each gives units of at least `tokens` tokens together, the same ones for the same stream.

// Words of the validation part from a random window onwards. Throws Error (malformed) where it holds none.
std::vector<TextUnit> validationFiller(const data::Corpus& corpus, std::int64_t tokens, RandomStream& random);

// One line again and again (NVIDIA/RULER, scripts/data/synthetic/niah.py, noise haystack).
std::vector<TextUnit> noiseFiller(const data::Corpus& corpus, std::int64_t tokens);

// Words of a file from a random one onwards, and from its beginning after its end. Throws Error (malformed) where it holds none.
std::vector<TextUnit> fileFiller(const data::Corpus& corpus, const std::filesystem::path& file, std::int64_t tokens, RandomStream& random);

}  // namespace holo::eval
