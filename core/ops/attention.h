#pragma once

#include "core/ops/attention_layer.h"

namespace holo::ops {

// Causal multi-head attention on packed projections: rotates, scales, attends, and puts the heads side by side.
//   qkv [B,T,(H+2·KV)·d] (all q heads, all k heads, all v heads) → [B,T,H·d]
// `qkv` is used up: its memory may be rotated in place. With autograd; the way back writes one packed gradient.
at::Tensor attend(const at::Tensor& qkv, const AttentionLayerPtr& layer);

// Who computes attend() on the CPU: our kernel wherever it serves the shape, else LibTorch's flash attention behind a rotation in place.
enum class AttentionPath { Kernel, Library };
AttentionPath attentionPath(const at::Tensor& qkv, const AttentionLayer& layer);

// The same from first principles with a whole score matrix, differentiable by LibTorch's own rules; for tests and probes.
// `weights` (if given) receives the attention weights [B,H,T,T].
at::Tensor attendReference(const at::Tensor& qkv, const AttentionLayer& layer, at::Tensor* weights = nullptr);

}  // namespace holo::ops
