#pragma once

#include <cstdint>
#include <functional>

namespace holo::kernels {

// Runs body(begin, end) over pieces of 0 … count−1 of at least `grain` items each, possibly at once, and returns when all are done.
// Kernels bring no threads of their own: the engine hands in at::parallel_for, so that the process keeps one pool.
// Every kernel gives the same bits however the range is cut.
using ParallelBody = std::function<void(std::int64_t begin, std::int64_t end)>;
using ParallelFor = std::function<void(std::int64_t count, std::int64_t grain, const ParallelBody& body)>;

// The whole range in the calling thread.
inline void serialFor(std::int64_t count, std::int64_t, const ParallelBody& body)
{
    if (count > 0)
        body(0, count);
}

}  // namespace holo::kernels
