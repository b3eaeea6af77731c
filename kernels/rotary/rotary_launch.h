#pragma once

#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_params.h"

#include <initializer_list>

namespace holo::kernels {

// What one GPU thread handles in one step: `width` planes of one head, or `width` dimensions to be copied.
struct RotarySlot {
    std::int64_t b = 0;
    std::int64_t t = 0;
    std::int32_t group = 0;
    std::int32_t head = 0;
    std::int32_t plane = 0;      // first plane, or −1
    std::int32_t dimension = 0;  // first copied dimension where plane is −1
};

// How one call is laid over a grid. A block serves one token in `rows` batch rows and all heads, so that the table rows of the token
// are staged once; its threads walk over (row, head, piece). Pure arithmetic: a host run can walk any launch.
struct RotaryLaunch {
    static constexpr std::int32_t kThreads = 256;
    static constexpr std::int64_t kMaxBlocks = 2147483647;  // of grid dimension x; blocks beyond it are taken in further rounds

    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int32_t groups = 0;
    std::int32_t groupHeads[kMaxHeadGroups] = {};
    std::int32_t heads = 0;  // of all groups
    std::int32_t width = 1;
    std::int32_t rotated = 0;    // pieces of a head that hold planes
    std::int32_t pieces = 0;     // of a head: rotated, then copied ones
    std::int32_t rotaryDim = 0;  // where copied dimensions begin
    std::int64_t rows = 1;
    std::int64_t blocksPerToken = 0;
    std::int64_t blocks = 0;

    HOLO_HD std::int64_t slots() const { return rows * heads * pieces; }  // of a block, walked in steps of kThreads

    // Slot `index` of block `block`; false where the last block of a token has fewer rows.
    HOLO_HD bool slot(std::int64_t block, std::int64_t index, RotarySlot& slot) const
    {
        // A block's own arithmetic fits 32 bits: rows · heads · pieces is bounded below.
        const std::uint32_t i = std::uint32_t(index);
        const std::uint32_t piece = i % std::uint32_t(pieces);
        std::uint32_t head = i / std::uint32_t(pieces) % std::uint32_t(heads);
        const std::uint32_t row = i / std::uint32_t(pieces) / std::uint32_t(heads);
        slot.t = block / blocksPerToken;
        slot.b = block % blocksPerToken * rows + row;
        if (slot.b >= batch)
            return false;
        slot.group = 0;
        while (head >= std::uint32_t(groupHeads[slot.group]))
            head -= std::uint32_t(groupHeads[slot.group++]);
        slot.head = std::int32_t(head);
        slot.plane = piece < std::uint32_t(rotated) ? std::int32_t(piece) * width : -1;
        slot.dimension = slot.plane < 0 ? rotaryDim + (std::int32_t(piece) - rotated) * width : 0;
        return true;
    }
};

// True if every access of `bytes` bytes that the launch makes is aligned to as many.
inline bool rotaryAligned(const RotaryParams& p, std::int64_t bytes)
{
    const std::int64_t elements = bytes / sizeOf(p.dtype);
    if ((p.rotaryDim / 2) % elements != 0 || p.headDim % elements != 0)
        return false;
    for (std::int32_t g = 0; g < p.groups; ++g) {
        const RotaryHeads& x = p.group[g];
        for (const std::int64_t stride : {x.inputBatch, x.inputToken, x.inputHead, x.outputBatch, x.outputToken, x.outputHead}) {
            if (stride % elements != 0)
                return false;
        }
        if (reinterpret_cast<std::uintptr_t>(x.input) % std::uintptr_t(bytes) != 0
            || reinterpret_cast<std::uintptr_t>(x.output) % std::uintptr_t(bytes) != 0)
            return false;
    }
    return true;
}

// Geometry for a device of `processors` multiprocessors. A block gets about four steps of work, fewer rows where that would leave
// processors idle, and one row where every batch row has positions of its own.
inline RotaryLaunch rotaryLaunch(const RotaryParams& p, std::int32_t processors)
{
    RotaryLaunch launch;
    launch.batch = p.batch;
    launch.tokens = p.tokens;
    launch.groups = p.groups;
    bool inPlace = true;
    for (std::int32_t g = 0; g < p.groups; ++g) {
        launch.groupHeads[g] = p.group[g].heads;
        launch.heads += p.group[g].heads;
        inPlace = inPlace && p.group[g].input == p.group[g].output;
    }
    launch.width = rotaryAligned(p, 16) ? std::int32_t(16 / sizeOf(p.dtype)) : 1;
    launch.rotaryDim = p.rotaryDim;
    launch.rotated = p.rotaryDim / 2 / launch.width;
    launch.pieces = launch.rotated + (inPlace ? 0 : (p.headDim - p.rotaryDim) / launch.width);
    if (p.batch == 0 || p.tokens == 0 || launch.heads == 0 || launch.pieces == 0)
        return launch;
    const std::int64_t perRow = std::int64_t(launch.heads) * launch.pieces;
    std::int64_t rows = (4 * RotaryLaunch::kThreads + perRow - 1) / perRow;
    const std::int64_t wanted = 4 * std::int64_t(processors);
    while (rows > 1 && p.tokens * ((p.batch + rows - 1) / rows) < wanted)
        rows = (rows + 1) / 2;
    if (p.positions.given && p.positions.batchStride != 0)
        rows = 1;
    launch.rows = rows < p.batch ? rows : p.batch;
    launch.blocksPerToken = (p.batch + launch.rows - 1) / launch.rows;
    launch.blocks = launch.blocksPerToken * p.tokens;
    return launch;
}

}  // namespace holo::kernels
