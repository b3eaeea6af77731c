#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/eval/filler_text.h"

namespace holo::eval {

// A further needle among the filler, with the share of the filler words that stand before it, 0 … below 1.
struct PlacedUnit {
    double place = 0;
    TextUnit unit;
};

// The text of a prompt up to its answer, and bytes in it at which units begin.
struct PromptLayout {
    std::string text;
    std::size_t needle = 0;
    std::size_t afterNeedle = 0;
    std::size_t question = 0;
};

// Filler with `others`, which are in order of place, among it; then the question. The needle, where there is one, stands between two units so
// that the share of tokens before it is nearest to `depth`.
PromptLayout layOut(std::span<const TextUnit> filler, std::span<const PlacedUnit> others, const TextUnit* needle, double depth, const TextUnit& question);

}  // namespace holo::eval
