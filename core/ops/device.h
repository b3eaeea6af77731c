#pragma once

#include <string>

#include <c10/core/Device.h>

#include "kernels/rotary/rotary_params.h"

namespace holo::ops {

// --device: "auto" (the first CUDA device where one answers, else the CPU), "cpu", "cuda" or "cuda:K". Where a driver answers, torch_cuda and
// our kernel plug-in are opened at the first call, which has to come before anything else asks LibTorch whether there is CUDA, since the
// answer is kept. Throws Error (usage) for other texts, (unsupported) if CUDA is asked for and not there, with the reason.
at::Device selectDevice(const std::string& text);

// For people and records: "cpu", "cuda:0".
std::string deviceText(at::Device device);

// One launch on the current stream of the device. Throws Error (unsupported) without the plug-in, (internal) if the launch fails.
void rotateOnCuda(const kernels::RotaryParams& params, at::Device device);

}  // namespace holo::ops
