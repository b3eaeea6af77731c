#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ladder/plan.h"

namespace holo::ladder {

enum class Side { Query, Key };

// cos and sin (any values for FoPE and xPos) of each position and plane: computed in double, rounded to float32 once.
struct PhaseTable {
    std::int64_t positions = 0;
    int planes = 0;
    std::vector<float> cos;  // [position][plane]
    std::vector<float> sin;
};

// Rows for positions 0 … length−1 of a sequence whose final length is `length`. Depends on nothing evaluated before.
PhaseTable phaseTable(const Ladder& ladder, std::int64_t length, Side side = Side::Query);

// Rows for any positions (also negative) of a sequence of final length `length`.
PhaseTable phaseTableAt(const Ladder& ladder, std::span<const std::int64_t> positions, std::int64_t length, Side side = Side::Query);

// θ in force for a sequence of final length `length` (differs from Ladder::theta under a length rule).
std::vector<double> thetaAtLength(const Ladder& ladder, std::int64_t length);

}  // namespace holo::ladder
