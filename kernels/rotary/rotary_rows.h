#pragma once

#include "kernels/rotary/rotary_params.h"

#include <cstdint>

namespace holo::kernels {

// Table rows of one token are staged in a small buffer, in the order of the vectors that use them and with the sign of their sines,
// before its heads are visited one after the other: memory is then read and written in one direction, whatever ladder a head has.
constexpr std::int32_t kStagedLadders = 16;
constexpr std::int32_t kStagedPlanes = 64;  // of one pass over the heads; a multiple of four vectors of every width

struct RowHead {
    std::int64_t input = 0;   // elements from the start of the token
    std::int64_t output = 0;
    std::int64_t fetched = 0;  // input of the head to fetch of the next token meanwhile: those of a run in the order of memory
    std::int32_t staged = 0;  // place of its ladder in the buffer: the ladder's number in the run · 2 · kStagedPlanes
};

// Heads of one group with at most kStagedLadders different ladders.
struct HeadRun {
    const RotaryHeads* group = nullptr;
    const std::int64_t* ladderRows = nullptr;  // elements from the start of the tables to row 0 of each ladder
    std::int32_t ladders = 0;                  // 0: these heads are only copied
    const RowHead* heads = nullptr;
    std::int32_t count = 0;
    bool staged = false;  // the run before has staged the same rows
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
