#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/attention_layer.h"

namespace holo::ops {

struct PackedHeads {
    at::Tensor q, k, v;  // [B,heads,T,d] views of a packed [B,T,row]
};

inline PackedHeads splitHeads(const at::Tensor& packed, const AttentionLayer& layer)
{
    const auto part = [&](std::int64_t first, std::int64_t heads) {
        return packed.narrow(2, first * layer.headDim, heads * layer.headDim).view({packed.size(0), packed.size(1), heads, layer.headDim}).transpose(1, 2);
    };
    return {part(0, layer.heads), part(layer.heads, layer.kvHeads), part(layer.heads + layer.kvHeads, layer.kvHeads)};
}

// Every key head once for each query head that reads it.
inline at::Tensor repeatHeads(const at::Tensor& x, int times)
{
    if (times == 1)
        return x;
    return x.unsqueeze(2).expand({x.size(0), x.size(1), times, x.size(2), x.size(3)}).reshape({x.size(0), x.size(1) * times, x.size(2), x.size(3)});
}

}  // namespace holo::ops
