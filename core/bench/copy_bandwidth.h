#pragma once

#include <cstdint>

namespace holo::bench {

// Two ways to move memory with all threads of the pool; the faster one is what "copy" means in a ratio.
void copyBytes(void* to, const void* from, std::int64_t bytes);  // memcpy
void copyLoop(void* to, const void* from, std::int64_t bytes);   // a loop over vectors of 32 bytes

}  // namespace holo::bench
