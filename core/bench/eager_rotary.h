#pragma once

#include "core/ops/attention_layer.h"

namespace holo::bench {

// The rotation as published models write it in plain tensor operations (rotate_half of Hugging Face transformers): half-split pairing,
// x [B,H,T,d], cos and sin [T,r] with every plane's value twice, r <= d lanes turned.
at::Tensor eagerRotary(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);

// Twice every plane's value of one table row after the other, as eagerRotary wants it: [T,planes] → [T,2·planes].
at::Tensor doubled(const at::Tensor& table);

}  // namespace holo::bench
