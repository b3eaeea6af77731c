#pragma once

#include "kernels/rotary/rotary_params.h"

namespace holo::kernels {

// Queues the rotation on a stream of the current device; returns a cudaError_t as a number, 0 if all is well.
int launchRotary(const RotaryParams& params, void* stream);

}  // namespace holo::kernels
