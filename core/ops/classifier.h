#pragma once

#include <ATen/core/Tensor.h>

namespace holo::ops {

// Sum over scored rows of −log softmax(hidden·weightᵀ)[target], fp32 scalar with autograd. hidden [N,h] and weight [V,h] in the same type,
// targets int64 [N], −1 is not scored. Works through chunks of rows: logits become probabilities and then gradients in one buffer, so that
// no [N,V] tensor outlives its chunk and the way back is two scalings. Both products are accumulated in fp32.
at::Tensor classifierLossSum(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets);

}  // namespace holo::ops
