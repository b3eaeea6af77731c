#pragma once

#include "core/ops/attention_layer.h"

namespace holo::ops {

// Rotates q and k of packed projections [B,T,(H+2·KV)·d] in place, each head by its ladder; `backward` turns the other way, which carries
// a gradient of the rotated tensor to one of the unrotated tensor. No autograd. fp32, fp64, bf16, fp16; CPU and CUDA.
// Throws Error (internal) naming what does not fit.
void rotatePacked_(const at::Tensor& qkv, const AttentionLayer& layer, bool backward);

// The same under autograd: the returned tensor is `qkv` itself, marked as changed. Keeps no activation for the way back.
at::Tensor rotaryPacked(const at::Tensor& qkv, const AttentionLayerPtr& layer);

}  // namespace holo::ops
