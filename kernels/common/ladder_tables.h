#pragma once

#include "kernels/common/host_device.h"

#include <cstdint>

namespace holo::kernels {

// Which two dimensions form rotation plane j of a head with `rotaryDim` rotated dimensions (2·planes).
enum class Pairing : std::int32_t {
    HalfSplit,    // (j, j + rotaryDim/2): GPT-NeoX, Llama as Hugging Face stores it
    Interleaved,  // (2j, 2j + 1): GPT-J, RoFormer
};

// Head id that leaves a head unrotated, whatever the tables hold.
constexpr std::uint8_t kNoLadder = 255;

// Phase tables, built elsewhere in double and stored as float: cosines[ladder][position][plane], sines likewise, dense.
// Any values are allowed (FoPE, xPos), they need not lie on the unit circle.
struct LadderTables {
    const float* cosines = nullptr;
    const float* sines = nullptr;
    std::int32_t ladders = 0;    // at most 255
    std::int64_t positions = 0;  // rows of one ladder
    std::int32_t planes = 0;

    // Offset of a row in both tables.
    HOLO_HD std::int64_t rowOffset(std::int32_t ladder, std::int64_t position) const
    {
        return (std::int64_t(ladder) * positions + position) * planes;
    }
};

// Table row of token t of batch row b: given[b·batchStride + t] + offset, or t + offset where `given` is null.
struct PositionMap {
    const std::int32_t* given = nullptr;
    std::int64_t batchStride = 0;  // 0: the same positions for every batch row
    std::int64_t offset = 0;

    HOLO_HD std::int64_t at(std::int64_t b, std::int64_t t) const
    {
        return (given ? std::int64_t(given[b * batchStride + t]) : t) + offset;
    }
};

}  // namespace holo::kernels
