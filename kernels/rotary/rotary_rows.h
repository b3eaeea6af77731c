#pragma once

#include "kernels/rotary/rotary_params.h"

#include <cstdint>

namespace holo::kernels {

// Heads of one group that share a ladder, so that a table row is loaded into registers once and serves all of them.
struct HeadRun {
    const RotaryHeads* heads = nullptr;
    const float* cosines = nullptr;  // row 0 of the ladder; null: these heads are only copied
    const float* sines = nullptr;
    const std::int64_t* inputOffsets = nullptr;  // elements from the start of the token
    const std::int64_t* outputOffsets = nullptr;
    std::int32_t count = 0;
    bool copies = false;  // out of place: unrotated dimensions have to be carried over
};

struct RowPlan {
    RotaryParams params;
    const HeadRun* runs = nullptr;
    std::int32_t runCount = 0;
};

// Work items begin … end−1 of RotaryItems, one function per instruction set.
void rotateRowsPlain(const RowPlan& plan, std::int64_t begin, std::int64_t end);
void rotateRowsAvx2(const RowPlan& plan, std::int64_t begin, std::int64_t end);
void rotateRowsAvx512(const RowPlan& plan, std::int64_t begin, std::int64_t end);

}  // namespace holo::kernels
