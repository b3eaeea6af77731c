#include "core/ops/special_attention.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "core/ops/heads.h"
#include "core/ops/rotary.h"

namespace holo::ops {

namespace {

constexpr double kPoleGuard = 1e-4;

}  // namespace

at::Tensor attendLandmark(const at::Tensor& qkv, const AttentionLayerPtr& layer, int block, int retrieve, at::Tensor* weights)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t tokens = qkv.size(1);
    const int groups = layer->heads / layer->kvHeads;
    PackedHeads heads = splitHeads(rotaryPacked(qkv, layer), *layer);
    if (layer->queryFactor.defined())
        heads.q = heads.q * layer->queryFactor.to(qkv.scalar_type()).transpose(0, 1);

    // Keys padded to whole blocks; what is padded lies in the future of every query.
    const std::int64_t blocks = (tokens + block - 1) / block;
    const std::int64_t padded = blocks * block;
    at::Tensor scores = at::matmul(heads.q, repeatHeads(heads.k, groups).transpose(2, 3)).to(at::kFloat) * layer->scale;
    scores = at::constant_pad_nd(scores, {0, padded - tokens}, 0.0);

    const auto indices = at::TensorOptions().dtype(at::kLong).device(qkv.device());
    const at::Tensor query = at::arange(tokens, indices).unsqueeze(1);
    const at::Tensor key = at::arange(padded, indices).unsqueeze(0);
    const at::Tensor queryBlock = query.floor_divide(block);
    const at::Tensor keyBlock = key.floor_divide(block);
    const at::Tensor landmark = key.remainder(block).eq(block - 1);
    const at::Tensor own = keyBlock.eq(queryBlock).logical_and(key.le(query));
    const at::Tensor earlier = keyBlock.lt(queryBlock);

    const std::vector<std::int64_t> grouped = {batch, layer->heads, tokens, blocks, block};
    at::Tensor gates = earlier.logical_and(landmark);
    if (retrieve > 0 && retrieve < blocks) {
        // Of the landmarks that a query may see, the highest k; where fewer are to be seen, `gates` leaves out the rest.
        const at::Tensor ofLandmarks = scores.detach().masked_fill(gates.logical_not(), -INFINITY).view(grouped).select(4, block - 1);
        const at::Tensor chosen = at::zeros_like(ofLandmarks).scatter(3, std::get<1>(ofLandmarks.topk(retrieve, 3)), 1.0);
        gates = gates.logical_and(chosen.gt(0.5).unsqueeze(4).expand(grouped).reshape({batch, layer->heads, tokens, padded}));
    }
    const at::Tensor outer = at::softmax(scores.masked_fill(own.logical_or(gates).logical_not(), -INFINITY), -1);
    const at::Tensor zero = at::zeros_like(outer);
    const at::Tensor inner = at::softmax(scores.masked_fill(landmark, -INFINITY).view(grouped), -1);
    const at::Tensor gate = at::where(earlier, outer, zero).view(grouped).select(4, block - 1).unsqueeze(4);
    const at::Tensor probabilities = at::where(own, outer, zero) + (gate * inner).view({batch, layer->heads, tokens, padded});
    const at::Tensor visible = probabilities.narrow(3, 0, tokens);
    if (weights)
        *weights = visible;
    const at::Tensor out = at::matmul(visible.to(qkv.scalar_type()), repeatHeads(heads.v, groups));
    return out.transpose(1, 2).reshape({batch, tokens, std::int64_t(layer->heads) * layer->headDim});
}

at::Tensor mobiusQueries(const at::Tensor& rotated, const AttentionLayer& layer, int heads, const at::Tensor& coefficients)
{
    const std::int64_t width = std::int64_t(heads) * layer.headDim;
    const std::int64_t planes = layer.headDim / 2;
    const bool half = layer.pairing == kernels::Pairing::HalfSplit;
    const at::Tensor lanes = rotated.narrow(2, 0, width).to(at::kFloat);
    const std::int64_t batch = rotated.size(0);
    const std::int64_t tokens = rotated.size(1);
    const at::Tensor pairs = half ? lanes.reshape({batch, tokens, heads, 2, planes}) : lanes.reshape({batch, tokens, heads, planes, 2}).transpose(3, 4);
    const at::Tensor re = pairs.select(3, 0);
    const at::Tensor im = pairs.select(3, 1);
    const at::Tensor c = coefficients.view({heads, planes, 4, 2});
    const auto part = [&](int which, int component) { return c.select(2, which).select(2, component); };
    const at::Tensor numeratorRe = part(0, 0) * re - part(0, 1) * im + part(1, 0);
    const at::Tensor numeratorIm = part(0, 0) * im + part(0, 1) * re + part(1, 1);
    const at::Tensor denominatorRe = part(2, 0) * re - part(2, 1) * im + part(3, 0);
    const at::Tensor denominatorIm = part(2, 0) * im + part(2, 1) * re + part(3, 1);
    const at::Tensor size = (denominatorRe * denominatorRe + denominatorIm * denominatorIm).clamp_min(kPoleGuard);
    const at::Tensor outRe = (numeratorRe * denominatorRe + numeratorIm * denominatorIm) / size;
    const at::Tensor outIm = (numeratorIm * denominatorRe - numeratorRe * denominatorIm) / size;
    const at::Tensor turned = at::stack({outRe, outIm}, half ? 3 : 4).reshape({batch, tokens, width}).to(rotated.scalar_type());
    return at::cat({turned, rotated.narrow(2, width, rotated.size(2) - width)}, 2);
}

}  // namespace holo::ops
