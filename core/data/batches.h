#pragma once

#include <cstdint>

namespace holo::data {

// Batches of B windows of T tokens out of `tokens` consecutive ones. A batch needs B·T + 1 tokens, since the last target of one batch is the
// first input of the next: (tokens − 1) div (B·T) batches. The first token is an input only, so the rest are tokens − 1 − batches·B·T.
struct Batches {
    std::uint64_t count = 0;
    std::uint64_t leftOver = 0;
};

inline Batches batchesOf(std::uint64_t tokens, std::uint64_t windows, std::uint64_t length)
{
    std::uint64_t perBatch = 0;
    if (tokens == 0 || __builtin_mul_overflow(windows, length, &perBatch) || perBatch == 0)
        return {0, tokens == 0 ? 0 : tokens - 1};
    const std::uint64_t count = (tokens - 1) / perBatch;
    return {count, tokens - 1 - count * perBatch};
}

}  // namespace holo::data
