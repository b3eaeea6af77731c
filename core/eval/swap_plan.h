#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ladder/plan.h"

namespace holo::eval {

// Which heads and planes of a trained model take another positional scheme.
struct SwapPart {
    std::vector<std::pair<int, int>> heads;              // (layer, head), sorted
    std::optional<std::pair<int, int>> planes;           // [first, second); nothing: whole heads
    double lambda = 1;                                   // θ = (1 − λ)·trained + λ·target on the planes that change
};

// "special": heads on a ladder that serves fewer than half of all heads (the one of head 0, layer 0 where two share them evenly), all where
// there is one ladder only; "all"; or a list "L:H,…" with * for any layer or head. `layers` (empty: all) narrows the choice.
// Throws Error (usage) for heads that do not exist or that share a key head with heads left out.
std::vector<std::pair<int, int>> chosenHeads(const ladder::Plan& trained, const std::string& heads, const std::vector<int>& layers = {});

// The trained plan with the chosen heads as `target` has them. With planes or λ < 1 only the θ of those planes change, on ladders of their own;
// both ladders must then be plain lists of θ. Throws Error (usage, unsupported) for what cannot be mixed.
ladder::Plan swappedPlan(const ladder::Plan& trained, const ladder::Plan& target, const SwapPart& part);

}  // namespace holo::eval
