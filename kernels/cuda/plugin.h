#pragma once

#include "kernels/rotary/rotary_params.h"

#include <cstdint>

// C interface of the plug-in holonomy_cuda. The engine opens the library where a CUDA device answers, after torch_cuda, so that both
// share one CUDA run time, and looks these functions up by name. Parameters travel as the plain structs of the CPU kernels, whose
// layout the interface number stands for: call nothing else if it differs from HOLONOMY_CUDA_INTERFACE.
#define HOLONOMY_CUDA_INTERFACE 1

extern "C" {

// HOLONOMY_CUDA_INTERFACE of the library.
using HolonomyCudaInterface = std::int32_t();
std::int32_t holonomyCudaInterface();

// Number of usable devices, 0 if the driver or its version does not allow any.
using HolonomyCudaDevices = std::int32_t();
std::int32_t holonomyCudaDevices();

// Queues one rotation on `stream` (a cudaStream_t; null is the default stream) of the calling thread's current device and returns
// null, or a sentence saying what went wrong, valid until the thread's next call. Every pointer in the parameters, tables, ladders
// and positions included, is device memory; positions and head ids are therefore not looked at: the caller vouches that they lie
// within the tables. One launch (more only beyond 2^31 blocks), nothing allocated, no synchronisation: may be captured in a graph.
using HolonomyCudaRotate = const char*(const holo::kernels::RotaryParams* params, void* stream);
const char* holonomyCudaRotate(const holo::kernels::RotaryParams* params, void* stream);

}  // extern "C"
