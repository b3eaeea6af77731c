#pragma once

#include <cstdint>
#include <vector>

#include "core/ladder/scheme.h"

namespace holo::interop {

using Rows = std::vector<std::int64_t>;

// Rows of a fused GPT-NeoX query_key_value, which is ordered head by head (q, k, v of head 0, then of head 1, …).
struct FusedRows {
    Rows q, k, v;
};
FusedRows neoxFusedRows(int heads, int headDim);

// For a projection of `heads` heads: row r of the half-split layout is row result[r] of the interleaved one. Lanes from `rotaryDim` on stay.
Rows interleavedToHalf(int heads, int headDim, int rotaryDim);

// The map that undoes a permutation.
Rows inverse(const Rows& rows);
// first, then second: result[r] = first[second[r]].
Rows composed(const Rows& first, const Rows& second);

}  // namespace holo::interop
