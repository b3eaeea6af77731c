#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ladder/phase.h"
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

// One row before the rounding to float32.
std::vector<Phase> phasesAt(const Ladder& ladder, std::int64_t position, std::int64_t length, Side side = Side::Query);

// One head's vector at one position in float64, the reference for the kernels: y = x·C + rot(x)·S on the first 2M lanes, the rest as it is.
// Planes are lanes (j, j+M) or (2j, 2j+1). Throws Error (usage) if the vector is shorter than 2M.
std::vector<double> rotated(const Ladder& ladder, std::span<const double> vector, std::int64_t position, std::int64_t length, Pairing pairing, Side side = Side::Query);

// θ in force for a sequence of final length `length` (differs from Ladder::theta under a length rule).
std::vector<double> thetaAtLength(const Ladder& ladder, std::int64_t length);

}  // namespace holo::ladder
