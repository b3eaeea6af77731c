#pragma once

#include <cstdint>
#include <vector>

#include "core/ladder/plan.h"
#include "core/ops/attention_layer.h"

namespace holo::nn {

// The plan of a model made ready for sequences of `length` tokens that start at position `offset`: one entry a layer. Tables depend on
// (plan, offset + length) alone. Layers that are assigned alike share their tables.
// `mask` asks for slopes and windows as a whole tensor too.
std::vector<ops::AttentionLayerPtr> attentionLayers(const ladder::Plan& plan, std::int64_t length, std::int64_t offset, at::Device device, bool mask);

}  // namespace holo::nn
