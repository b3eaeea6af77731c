#pragma once

#include "kernels/common/dtype.h"
#include "kernels/common/ladder_tables.h"

#include <cstdint>

namespace holo::kernels {

// Forward multiplies plane j by [[C, −S], [S, C]]; Backward by the transpose, [[C, S], [−S, C]], which carries a gradient of the
// rotated tensor to one of the unrotated tensor for any C and S. On unit tables the two undo each other.
enum class Direction : std::int32_t { Forward, Backward };

// Heads that share one stride and one set of tables: all q heads, or all k heads, of a packed row. Strides count elements and may
// be anything that keeps outputs of different elements apart; the last dimension is dense.
struct RotaryHeads {
    const void* input = nullptr;  // batch row 0, token 0, head 0
    void* output = nullptr;       // equal to input: in place
    std::int32_t heads = 0;
    std::int64_t inputBatch = 0, inputToken = 0, inputHead = 0;
    std::int64_t outputBatch = 0, outputToken = 0, outputHead = 0;
    LadderTables tables;
    const std::uint8_t* ladders = nullptr;  // id per head, kNoLadder allowed; null: ladder 0 for all
};

constexpr int kMaxHeadGroups = 4;

// One call, one launch: up to four groups of heads over the same tokens. q and k of a packed QKV are two groups whose pointers lie
// in one buffer, with their own head counts (GQA), each head with its own ladder; v is never touched. Passed by value everywhere.
struct RotaryParams {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int32_t headDim = 0;
    std::int32_t rotaryDim = 0;  // even, 2 · planes of every table; dimensions beyond it are copied (in place: left alone)
    Pairing pairing = Pairing::HalfSplit;
    Dtype dtype = Dtype::Float32;
    Direction direction = Direction::Forward;
    PositionMap positions;
    std::int32_t groups = 0;
    RotaryHeads group[kMaxHeadGroups];
};

}  // namespace holo::kernels
