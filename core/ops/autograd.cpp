// All autograd functions of the engine, in one file because the header that defines them is the dearest of LibTorch.
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>

#include "core/ops/attention.h"
#include "core/ops/classifier.h"
#include "core/ops/heads.h"
#include "core/ops/kernel_bridge.h"
#include "core/ops/rotary.h"
#include "kernels/attention/attention.h"
#include "kernels/classifier/classifier.h"

namespace holo::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

AttentionLayerPtr layerOf(AutogradContext* context)
{
    return c10::static_intrusive_pointer_cast<AttentionLayer>(context->saved_data["layer"].toCapsule());
}

class RotaryFunction : public Function<RotaryFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, const AttentionLayerPtr& layer)
    {
        context->saved_data["layer"] = c10::IValue::make_capsule(layer);
        rotatePacked_(qkv, *layer, false);
        context->mark_dirty({qkv});
        return qkv;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        // A gradient may be shared with other consumers, so it is turned in a copy.
        at::Tensor gradient = gradients[0].clone(at::MemoryFormat::Contiguous);
        rotatePacked_(gradient, *layerOf(context), true);
        return {gradient, at::Tensor()};
    }
};

at::Tensor sumRepeats(const at::Tensor& x, int times)
{
    if (times == 1)
        return x;
    return x.view({x.size(0), x.size(1) / times, times, x.size(2), x.size(3)}).sum(2);
}

std::optional<at::Tensor> maskFor(const at::Tensor& q, const AttentionLayer& layer)
{
    if (!layer.mask.defined())
        return std::nullopt;
    return layer.mask.to(q.scalar_type());
}

// Rotation and LibTorch's flash attention around one packed buffer. The way back writes one packed gradient instead of the chain of
// padded slices that the views' own rules would make.
class FlashAttentionFunction : public Function<FlashAttentionFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, const AttentionLayerPtr& layer)
    {
        context->saved_data["layer"] = c10::IValue::make_capsule(layer);
        rotatePacked_(qkv, *layer, false);
        const int groups = layer->heads / layer->kvHeads;
        PackedHeads heads = splitHeads(qkv, *layer);
        if (layer->queryFactor.defined())
            heads.q.transpose(1, 2).mul_(layer->queryFactor.to(qkv.scalar_type()));
        auto [out, logSumExp] = at::_scaled_dot_product_flash_attention_for_cpu(
            heads.q, repeatHeads(heads.k, groups), repeatHeads(heads.v, groups), 0.0, true, maskFor(heads.q, *layer), layer->scale);
        context->save_for_backward({qkv, out, logSumExp});
        return out.transpose(1, 2).reshape({qkv.size(0), qkv.size(1), std::int64_t(layer->heads) * layer->headDim});
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto layer = layerOf(context);
        const auto saved = context->get_saved_variables();
        const at::Tensor& qkv = saved[0];
        const int groups = layer->heads / layer->kvHeads;
        const PackedHeads heads = splitHeads(qkv, *layer);
        const auto gradient = gradients[0].reshape({qkv.size(0), qkv.size(1), layer->heads, layer->headDim}).transpose(1, 2);
        auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(gradient, heads.q, repeatHeads(heads.k, groups),
            repeatHeads(heads.v, groups), saved[1], saved[2], 0.0, true, maskFor(heads.q, *layer), layer->scale);
        at::Tensor packed = at::empty_like(qkv);
        PackedHeads parts = splitHeads(packed, *layer);
        parts.q.copy_(dq);
        parts.k.copy_(sumRepeats(dk, groups));
        parts.v.copy_(sumRepeats(dv, groups));
        if (layer->queryFactor.defined())
            parts.q.transpose(1, 2).mul_(layer->queryFactor.to(qkv.scalar_type()));
        rotatePacked_(packed, *layer, true);
        return {packed, at::Tensor()};
    }
};

kernels::AttentionInput inputPart(const at::Tensor& packed, std::int64_t firstHead, const AttentionLayer& layer)
{
    const auto* data = static_cast<const char*>(packed.const_data_ptr()) + firstHead * layer.headDim * packed.element_size();
    return {data, packed.stride(0), packed.stride(1), layer.headDim};
}

kernels::AttentionOutput outputPart(const at::Tensor& packed, std::int64_t firstHead, const AttentionLayer& layer)
{
    auto* data = static_cast<char*>(packed.mutable_data_ptr()) + firstHead * layer.headDim * packed.element_size();
    return {data, packed.stride(0), packed.stride(1), layer.headDim};
}

template <class T>
const T* dataOrNull(const std::vector<T>& values)
{
    return values.empty() ? nullptr : values.data();
}

kernels::AttentionParams kernelParams(const at::Tensor& qkv, const AttentionLayer& layer)
{
    kernels::AttentionParams params;
    params.batch = qkv.size(0);
    params.queries = params.keys = qkv.size(1);
    params.heads = layer.heads;
    params.keyHeads = layer.kvHeads;
    params.headDim = layer.headDim;
    params.dtype = kernelDtype(qkv.scalar_type());
    params.q = inputPart(qkv, 0, layer);
    params.k = inputPart(qkv, layer.heads, layer);
    params.v = inputPart(qkv, layer.heads + layer.kvHeads, layer);
    params.pairing = layer.pairing;
    if (layer.rotates()) {
        params.rotaryDim = layer.rotaryDim;
        params.queryTables = ladderTables(layer.queryCos, layer.querySin);
        params.keyTables = ladderTables(layer.keyCos, layer.keySin);
        params.queryLadders = layer.queryLadders.data();
        params.keyLadders = layer.keyLadders.data();
    }
    params.positions.offset = layer.positionOffset;
    params.scale = static_cast<float>(layer.scale);
    params.headScale = dataOrNull(layer.headScale);
    params.queryScale = dataOrNull(layer.queryScale);
    params.slopes = dataOrNull(layer.slopes);
    params.windows = dataOrNull(layer.windows);
    return params;
}

// Our own kernel: rotates while it packs and reads the projections where they lie.
class KernelAttentionFunction : public Function<KernelAttentionFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, const AttentionLayerPtr& layer)
    {
        context->saved_data["layer"] = c10::IValue::make_capsule(layer);
        const at::Tensor out = at::empty({qkv.size(0), qkv.size(1), std::int64_t(layer->heads) * layer->headDim}, qkv.options());
        const at::Tensor logSumExp = at::empty({qkv.size(0), layer->heads, qkv.size(1)}, qkv.options().dtype(at::kFloat));
        kernels::attentionForward(kernelParams(qkv, *layer), outputPart(out, 0, *layer), logSumExp.mutable_data_ptr<float>(), parallelFor());
        context->save_for_backward({qkv, out, logSumExp});
        return out;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto layer = layerOf(context);
        const auto saved = context->get_saved_variables();
        const at::Tensor& qkv = saved[0];
        const at::Tensor gradient = gradients[0].contiguous();
        const at::Tensor packed = at::empty_like(qkv);
        kernels::AttentionGradients parts;
        parts.out = inputPart(saved[1], 0, *layer);
        parts.dout = inputPart(gradient, 0, *layer);
        parts.logSumExp = saved[2].const_data_ptr<float>();
        parts.dq = outputPart(packed, 0, *layer);
        parts.dk = outputPart(packed, layer->heads, *layer);
        parts.dv = outputPart(packed, layer->heads + layer->kvHeads, *layer);
        kernels::attentionBackward(kernelParams(qkv, *layer), parts, parallelFor());
        return {packed, at::Tensor()};
    }
};

at::Tensor attendByLibrary(const at::Tensor& qkv, const AttentionLayerPtr& layer)
{
    const at::Tensor rotated = rotaryPacked(qkv, layer);
    PackedHeads heads = splitHeads(rotated, *layer);
    if (layer->queryFactor.defined())
        heads.q = heads.q * layer->queryFactor.to(qkv.scalar_type()).transpose(0, 1);
    const auto mask = maskFor(heads.q, *layer);
    const auto out = at::scaled_dot_product_attention(heads.q, heads.k, heads.v, mask, 0.0, !mask, layer->scale, layer->heads != layer->kvHeads);
    return out.transpose(1, 2).reshape({qkv.size(0), qkv.size(1), std::int64_t(layer->heads) * layer->headDim});
}

constexpr std::int64_t kChunkElements = std::int64_t(1) << 22;
constexpr std::int64_t kLeastChunkRows = 256;

class ClassifierFunction : public Function<ClassifierFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets, bool needsGradient)
    {
        const std::int64_t rows = hidden.size(0);
        const std::int64_t vocabulary = weight.size(0);
        const std::int64_t chunk = std::clamp(kChunkElements / vocabulary, kLeastChunkRows, std::max(rows, kLeastChunkRows));
        const auto accumulated = hidden.options().dtype(at::kFloat);
        at::Tensor hiddenGradient = needsGradient ? at::empty_like(hidden) : at::Tensor();
        at::Tensor weightGradient = needsGradient ? at::zeros(weight.sizes(), accumulated) : at::Tensor();
        at::Tensor loss = at::zeros({}, accumulated.dtype(at::kDouble));
        for (std::int64_t begin = 0; begin < rows; begin += chunk) {
            const std::int64_t count = std::min(chunk, rows - begin);
            const at::Tensor part = hidden.narrow(0, begin, count);
            const at::Tensor target = targets.narrow(0, begin, count);
            at::Tensor logits = at::mm(part, weight.t());
            const at::Tensor narrow = lossAndGradient(logits, target, needsGradient, loss);
            if (!needsGradient)
                continue;
            at::Tensor slice = hiddenGradient.narrow(0, begin, count);
            at::mm_out(slice, narrow, weight);
            if (hidden.scalar_type() == at::kFloat)
                weightGradient.addmm_(narrow.t(), part);
            else
                weightGradient.add_(at::mm(narrow.t(), part));
        }
        if (needsGradient)
            context->save_for_backward({hiddenGradient, weightGradient.to(weight.scalar_type())});
        return loss.to(at::kFloat);
    }

    // Adds the loss of a chunk to `loss` and returns the gradient of its logits, whose memory is used up.
    static at::Tensor lossAndGradient(at::Tensor& logits, const at::Tensor& targets, bool needsGradient, at::Tensor& loss)
    {
        if (logits.is_cpu() && (logits.scalar_type() == at::kFloat || logits.scalar_type() == at::kBFloat16)) {
            const at::Tensor dense = targets.contiguous();
            kernels::ClassifierParams p;
            p.rows = logits.size(0);
            p.vocabulary = logits.size(1);
            p.dtype = kernelDtype(logits.scalar_type());
            p.logits = logits.mutable_data_ptr();
            p.targets = dense.const_data_ptr<std::int64_t>();
            p.gradient = needsGradient;
            loss.add_(kernels::classifierLoss(p, parallelFor()));
            return logits;
        }
        const at::Tensor target = targets.unsqueeze(1);
        const at::Tensor scored = target.ge(0);
        const at::Tensor index = target.clamp_min(0);
        const at::Tensor logProbabilities = at::log_softmax(logits, -1, at::kFloat);
        loss.sub_(logProbabilities.gather(1, index).masked_fill(scored.logical_not(), 0).sum(at::kDouble));
        if (!needsGradient)
            return {};
        const at::Tensor gradient = logProbabilities.exp_();
        gradient.scatter_add_(1, index, at::full({1}, -1.0, gradient.options()).expand(index.sizes()));
        if (!scored.all().item<bool>())
            gradient.mul_(scored);
        return gradient.to(logits.scalar_type());
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const double factor = gradients[0].item<double>();
        return {saved[0] * factor, saved[1] * factor, at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor classifierLossSum(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets)
{
    const bool needsGradient = at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad());
    return ClassifierFunction::apply(hidden, weight, targets, needsGradient);
}

at::Tensor rotaryPacked(const at::Tensor& qkv, const AttentionLayerPtr& layer)
{
    return layer->rotates() ? RotaryFunction::apply(qkv, layer) : qkv;
}

AttentionPath attentionPath(const at::Tensor& qkv, const AttentionLayer& layer)
{
    return qkv.scalar_type() != at::kDouble && kernels::attentionSupports(kernelParams(qkv, layer)) ? AttentionPath::Kernel : AttentionPath::Library;
}

at::Tensor attend(const at::Tensor& qkv, const AttentionLayerPtr& layer)
{
    if (!qkv.is_cpu())
        return attendByLibrary(qkv, layer);
    return attentionPath(qkv, *layer) == AttentionPath::Kernel ? KernelAttentionFunction::apply(qkv, layer) : FlashAttentionFunction::apply(qkv, layer);
}

at::Tensor attendReference(const at::Tensor& qkv, const AttentionLayer& layer, at::Tensor* weights)
{
    const std::int64_t batch = qkv.size(0);
    const std::int64_t tokens = qkv.size(1);
    const int groups = layer.heads / layer.kvHeads;
    const PackedHeads heads = splitHeads(qkv, layer);

    // cos and sin as [H,T,d] factors of a lane and of its partner, 1 and 0 where nothing turns.
    const auto rotate = [&](const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, const std::vector<std::uint8_t>& ladders) {
        if (!layer.rotates())
            return x;
        const int planes = layer.rotaryDim / 2;
        std::vector<at::Tensor> turned;
        for (std::int64_t h = 0; h < x.size(1); ++h) {
            const at::Tensor head = x.select(1, h);
            if (ladders[std::size_t(h)] == kernels::kNoLadder) {
                turned.push_back(head);
                continue;
            }
            const auto c = cos.select(0, ladders[std::size_t(h)]).narrow(0, layer.positionOffset, tokens).to(x.scalar_type());
            const auto s = sin.select(0, ladders[std::size_t(h)]).narrow(0, layer.positionOffset, tokens).to(x.scalar_type());
            const at::Tensor lanes = head.narrow(2, 0, layer.rotaryDim);
            const bool half = layer.pairing == kernels::Pairing::HalfSplit;
            const at::Tensor pairs = half ? lanes.view({batch, tokens, 2, planes}) : lanes.view({batch, tokens, planes, 2}).transpose(2, 3);
            const at::Tensor x0 = pairs.select(2, 0);
            const at::Tensor x1 = pairs.select(2, 1);
            const at::Tensor y = at::stack({x0 * c - x1 * s, x1 * c + x0 * s}, half ? 2 : 3).reshape({batch, tokens, layer.rotaryDim});
            turned.push_back(at::cat({y, head.narrow(2, layer.rotaryDim, layer.headDim - layer.rotaryDim)}, 2));
        }
        return at::stack(turned, 1);
    };
    at::Tensor q = rotate(heads.q, layer.queryCos, layer.querySin, layer.queryLadders);
    const at::Tensor k = repeatHeads(rotate(heads.k, layer.keyCos, layer.keySin, layer.keyLadders), groups);
    if (layer.queryFactor.defined())
        q = q * layer.queryFactor.to(q.scalar_type()).transpose(0, 1);
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) * layer.scale;
    if (layer.mask.defined())
        scores = scores + layer.mask.to(scores.scalar_type());
    const at::Tensor future = at::ones({tokens, tokens}, qkv.options().dtype(at::kBool)).triu(1);
    const at::Tensor probabilities = at::softmax(scores.masked_fill(future, -INFINITY), -1);
    if (weights)
        *weights = probabilities;
    return at::matmul(probabilities, repeatHeads(heads.v, groups)).transpose(1, 2).reshape({batch, tokens, std::int64_t(layer.heads) * layer.headDim});
}

}  // namespace holo::ops
