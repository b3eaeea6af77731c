#pragma once

// Functions that run on both sides. On the host they are always inlined: a copy compiled with wide instructions must never
// become the one that the linker keeps for a machine without them.
#if defined(__CUDACC__)
#define HOLO_HD __host__ __device__ __forceinline__
#else
#define HOLO_HD inline __attribute__((always_inline))
#endif
