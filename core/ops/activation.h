#pragma once

#include <ATen/core/Tensor.h>

namespace holo::ops {

// gelu(up + upBias), or silu(gate + gateBias)·(up + upBias) where there is a gate: the middle of an MLP. up and gate [rows, width] in one type,
// biases [width] fp32 or undefined. One pass on the CPU, and one on the way back. With autograd.
at::Tensor mlpActivation(const at::Tensor& up, const at::Tensor& upBias, const at::Tensor& gate = {}, const at::Tensor& gateBias = {});

}  // namespace holo::ops
