#pragma once

#include "kernels/attention/attention.h"

#include <cstdint>

namespace holo::kernels {

// How one call is cut into tasks: a task is one key head of one batch row, and forward also a stretch of its queries where there
// are few heads. Gradients of keys are then sums inside one task, in a fixed order and without atomics. Depends on the shape only.
struct AttentionTasks {
    std::int64_t keyHeads = 0;
    std::int64_t chunks = 1;        // stretches of the queries
    std::int64_t chunkQueries = 0;  // of one stretch, a multiple of every query block
    std::int64_t count = 0;
};

struct AttentionWork {
    AttentionParams params;
    AttentionTasks tasks;
    AttentionOutput out;         // forward
    float* logSumExp = nullptr;  // forward
    AttentionGradients gradients;
};

// Widest query block of any instruction set, and the number of dimensions that a packed row is padded to.
constexpr std::int64_t kMaxQueryBlock = 32;
constexpr std::int64_t kMaxHeadDim = 256;
constexpr std::int64_t paddedDim(std::int64_t headDim) { return (headDim + 7) / 8 * 8; }

// Keys of one block: a key block of k, v and scores stays in the first-level cache.
constexpr std::int64_t keyBlock(std::int64_t paddedHeadDim)
{
    const std::int64_t keys = 2048 / paddedHeadDim;
    return keys < 32 ? 32 : keys > 128 ? 128 : keys / 4 * 4;
}

// Packed rows of one key head: four spare ones, so that tiles of four keys never read outside.
constexpr std::int64_t packedRows(std::int64_t keys) { return (keys + 3) / 4 * 4 + 4; }

// Scratch floats of one task, 64-byte aligned.
std::int64_t forwardScratch(const AttentionParams& params);
std::int64_t backwardScratch(const AttentionParams& params);

// One task each; one function per instruction set.
void attentionForwardPlain(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionForwardAvx2(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionForwardAvx512(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionBackwardPlain(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionBackwardAvx2(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionBackwardAvx512(const AttentionWork& work, std::int64_t task, float* scratch);

}  // namespace holo::kernels
