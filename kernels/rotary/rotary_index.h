#pragma once

#include "kernels/common/host_device.h"

#include <cstdint>

namespace holo::kernels {

// Index arithmetic of both devices, 64-bit from the first product on and free of any device call, so that a host run can walk a
// launch of any size without its memory.

// A CPU work item is a block of consecutive tokens of one batch row. Batch rows of a block come one after the other, so that its
// table rows stay in the cache while memory is still read in long stretches.
struct RotaryItems {
    static constexpr std::int64_t kTokens = 16;
    std::int64_t batch = 0;
    std::int64_t tokens = 0;

    HOLO_HD std::int64_t count() const { return batch * ((tokens + kTokens - 1) / kTokens); }
    HOLO_HD std::int64_t batchRow(std::int64_t item) const { return item % batch; }
    HOLO_HD std::int64_t firstToken(std::int64_t item) const { return item / batch * kTokens; }
    HOLO_HD std::int64_t lastToken(std::int64_t item) const  // one past
    {
        const std::int64_t last = firstToken(item) + kTokens;
        return last < tokens ? last : tokens;
    }
};

// Element offset of dimension 0 of a head.
HOLO_HD std::int64_t rotaryOffset(std::int64_t batchStride, std::int64_t tokenStride, std::int64_t headStride, std::int64_t b,
    std::int64_t t, std::int64_t h)
{
    return b * batchStride + t * tokenStride + h * headStride;
}

}  // namespace holo::kernels
