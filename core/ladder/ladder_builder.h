#pragma once

#include "core/ladder/parameters.h"
#include "core/ladder/plan.h"

namespace holo::ladder {

// The rotation of a scheme with one ladder for all heads that carry it (all kinds except hybrid and fope; ALiBi's is NoPE's, the ones of
// window, landmark and mobius-attention are the standard ladder). Throws Error (usage).
Ladder buildLadder(const Scheme& scheme, const ModelShape& shape);

// Ladder without rotation, θ = 0.
Ladder nopeLadder(const ModelShape& shape);

// SHA-256 over the little-endian float64 θ; where there is more to a table, over that too (coefficients, scales, length rule, …).
std::string ladderHash(const Ladder& ladder);

// Distinct characters of a set of rational turns on whole positions, up to sign (aliasing beyond θ = π).
int distinctCharacters(const ExactTurns& turns);

}  // namespace holo::ladder
