#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "core/ladder/plan.h"
#include "kernels/rotary/rotary.h"

namespace holo::bench {

// Memory on a cache line of its own.
class AlignedBuffer {
public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::int64_t bytes)
        : m_data(static_cast<std::byte*>(::operator new(std::size_t(bytes), std::align_val_t(64))))
        , m_bytes(bytes)
    {
    }
    std::byte* data() const { return m_data.get(); }
    std::int64_t bytes() const { return m_bytes; }

private:
    struct Delete {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
    };
    std::unique_ptr<std::byte, Delete> m_data;
    std::int64_t m_bytes = 0;
};

// Packed projections [batch][token][q heads | k heads | v heads][headDim].
struct PackedShape {
    std::int64_t batch = 1;
    std::int64_t tokens = 1;
    std::int32_t heads = 1;
    std::int32_t keyHeads = 1;
    std::int32_t headDim = 64;
    std::int32_t rotaryDim = 64;
    kernels::Dtype dtype = kernels::Dtype::Float32;
    kernels::Pairing pairing = kernels::Pairing::HalfSplit;

    std::int64_t rowWidth() const { return std::int64_t(heads + 2 * keyHeads) * headDim; }
    std::int64_t elements() const { return batch * tokens * rowWidth(); }
    std::int64_t rotatedBytes() const { return batch * tokens * (heads + keyHeads) * headDim * kernels::sizeOf(dtype); }
};

// Phase tables as the kernels take them, one row for each given position.
struct TableSet {
    std::vector<float> cosines, sines;
    std::int32_t ladders = 0;
    std::int64_t positions = 0;
    std::int32_t planes = 0;

    kernels::LadderTables view() const { return {cosines.data(), sines.data(), ladders, positions, planes}; }
};
TableSet tablesAt(const ladder::Plan& plan, std::span<const std::int64_t> positions);
TableSet tablesUpTo(const ladder::Plan& plan, std::int64_t length);

// Half of the heads on a standard ladder, half on a Möbius one of context 512.
ladder::Plan twoLadders(const PackedShape& shape);
// Ladder of each head: the last third without any if `unrotated`, the others in turn.
std::vector<std::uint8_t> headLadders(std::int32_t heads, std::int32_t ladders, bool unrotated);

// One element of a buffer, as double.
double element(const void* data, kernels::Dtype dtype, std::int64_t index);
void fillNormal(void* data, kernels::Dtype dtype, std::int64_t count, std::uint64_t seed);

// The call that rotates q and k of a packed buffer in place. Borrows all of it.
kernels::RotaryParams rotaryCall(const PackedShape& shape, const TableSet& tables, const std::vector<std::uint8_t>& queryLadders,
    const std::vector<std::uint8_t>& keyLadders, void* data, kernels::Direction direction);

}  // namespace holo::bench
