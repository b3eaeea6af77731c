#pragma once

#include <cstdint>
#include <functional>

namespace holo::bench {

// What tensors of the calling thread took while `body` ran, in bytes: LibTorch's allocator reports every block.
struct TensorMemory {
    std::int64_t allocated = 0;  // sum of all blocks
    std::int64_t peak = 0;       // most that was held at once, beyond what was held before
};
TensorMemory tensorMemory(const std::function<void()>& body);

// Page faults of the process so far that needed no disk.
std::int64_t minorFaults();

}  // namespace holo::bench
