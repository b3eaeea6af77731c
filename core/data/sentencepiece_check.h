#pragma once

#include <string>
#include <string_view>

namespace holo::data {

// What is wrong with a serialised SentencePiece model that the library would take at its word, as a phrase; empty if nothing is.
// The library follows the transitions of a model's normalisation tables (precompiled_charsmap, a double-array trie and the strings it points
// to) without looking at their bounds, so a damaged or hostile file could make it read anywhere. Also checks that scores are finite.
std::string sentencePieceFault(std::string_view model);

}  // namespace holo::data
