#pragma once

#include "kernels/common/parallel_for.h"

#include <cstdint>
#include <vector>

namespace holo::kernels {

// Sums down the columns of a matrix, as gradients of weights and biases are, in an order that no cut of the work changes: rows are taken in
// chunks of kChunkRows, each chunk leaves one row of partial sums, and those are added up in double from the first to the last.
constexpr std::int64_t kChunkRows = 64;

constexpr std::int64_t chunksOf(std::int64_t rows) { return (rows + kChunkRows - 1) / kChunkRows; }

// Chunks that one thread should take at least, so that waking it pays.
constexpr std::int64_t chunkGrain(std::int64_t width)
{
    const std::int64_t elements = kChunkRows * (width > 0 ? width : 1);
    return elements >= 32768 ? 1 : 32768 / elements;
}

// sums[c] = Σ over chunks of partial[chunk·columns + c].
void addChunks(const std::vector<float>& partial, std::int64_t chunks, std::int64_t columns, float* sums, const ParallelFor& parallelFor);

}  // namespace holo::kernels
