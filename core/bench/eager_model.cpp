#include "core/bench/eager_model.h"

#include <map>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include "core/base/error.h"
#include "core/bench/eager_rotary.h"
#include "core/ladder/phase_table.h"

namespace holo::bench {

namespace {

struct LayerCache {
    at::Tensor keys, values;  // [B,KV,T,d]
};

}  // namespace

struct EagerModel::Impl {
    config::ModelSpec model;
    ladder::Ladder ladder;
    std::int64_t rotaryDim = 0;
    at::ScalarType storage = at::kFloat;
    at::ScalarType compute = at::kFloat;
    at::Device device = at::kCPU;
    std::vector<std::pair<std::string, at::Tensor>> parameters;
    std::map<std::string, at::Tensor> byName;
    mutable std::map<std::int64_t, std::pair<at::Tensor, at::Tensor>> tables;  // by length
    std::vector<at::Tensor> first, second;
    std::int64_t updates = 0;

    at::Tensor weight(const std::string& name) const { return byName.at(name); }
    bool neox() const { return model.style == "neox"; }

    at::Tensor cast(const at::Tensor& x) const { return x.scalar_type() == compute ? x : x.to(compute); }

    at::Tensor linear(const at::Tensor& x, const std::string& name) const
    {
        const auto bias = byName.find(name + ".bias");
        return bias == byName.end() ? at::linear(cast(x), cast(weight(name + ".weight"))) : at::linear(cast(x), cast(weight(name + ".weight")), cast(bias->second));
    }

    at::Tensor norm(const at::Tensor& x, const std::string& name) const
    {
        return neox() ? at::layer_norm(x, {model.hidden}, weight(name + ".weight"), weight(name + ".bias"), model.normEps)
                      : at::rms_norm(x, {model.hidden}, weight(name + ".weight"), model.normEps);
    }

    const std::pair<at::Tensor, at::Tensor>& tablesFor(std::int64_t length) const
    {
        const auto it = tables.find(length);
        if (it != tables.end())
            return it->second;
        ladder::PhaseTable table = ladder::phaseTable(ladder, length);
        const auto tensor = [&](std::vector<float>& values) {
            return doubled(at::from_blob(values.data(), {length, table.planes}, at::TensorOptions().dtype(at::kFloat)).clone()).to(device, compute);
        };
        return tables[length] = {tensor(table.cos), tensor(table.sin)};
    }

    at::Tensor attention(const at::Tensor& x, const std::string& block, LayerCache* cache) const
    {
        const std::int64_t batch = x.size(0);
        const std::int64_t tokens = x.size(1);
        const at::Tensor qkv = linear(x, block + "attn.qkv");
        const auto part = [&](std::int64_t begin, std::int64_t heads) {
            return qkv.narrow(2, begin * model.headDim, heads * model.headDim).view({batch, tokens, heads, model.headDim}).transpose(1, 2);
        };
        at::Tensor q = part(0, model.heads);
        at::Tensor k = part(model.heads, model.kvHeads);
        at::Tensor v = part(model.heads + model.kvHeads, model.kvHeads);
        const std::int64_t past = cache && cache->keys.defined() ? cache->keys.size(2) : 0;
        if (rotaryDim > 0) {
            const auto& [cos, sin] = tablesFor(past + tokens);
            q = eagerRotary(q, cos.narrow(0, past, tokens), sin.narrow(0, past, tokens));
            k = eagerRotary(k, cos.narrow(0, past, tokens), sin.narrow(0, past, tokens));
        }
        if (cache) {
            if (past > 0) {
                k = at::cat({cache->keys, k}, 2);
                v = at::cat({cache->values, v}, 2);
            }
            cache->keys = k;
            cache->values = v;
        }
        const at::Tensor out = at::scaled_dot_product_attention(q, k, v, {}, 0.0, past == 0, std::nullopt, model.heads != model.kvHeads);
        return linear(out.transpose(1, 2).reshape({batch, tokens, std::int64_t(model.heads) * model.headDim}), block + "attn.out");
    }

    at::Tensor mlp(const at::Tensor& x, const std::string& block) const
    {
        if (neox())
            return linear(at::gelu(linear(x, block + "mlp.up")), block + "mlp.down");
        return linear(at::silu(linear(x, block + "mlp.gate")) * linear(x, block + "mlp.up"), block + "mlp.down");
    }

    at::Tensor hidden(const at::Tensor& tokens, std::vector<LayerCache>* caches) const
    {
        at::Tensor x = at::embedding(weight("embed.weight"), tokens);
        for (int l = 0; l < model.layers; ++l) {
            const std::string block = "blocks." + std::to_string(l) + ".";
            LayerCache* cache = caches ? &(*caches)[std::size_t(l)] : nullptr;
            if (neox()) {
                x = x + attention(norm(x, block + "ln1"), block, cache) + mlp(norm(x, block + "ln2"), block);
            } else {
                x = x + attention(norm(x, block + "ln1"), block, cache);
                x = x + mlp(norm(x, block + "ln2"), block);
            }
        }
        return norm(x, "final_norm");
    }

    at::Tensor logits(const at::Tensor& x) const
    {
        const at::Tensor y = at::linear(cast(x), cast(weight(model.tied ? "embed.weight" : "head.weight")));
        return storage == at::kDouble ? y : y.to(at::kFloat);
    }
};

EagerModel::EagerModel(const nn::Transformer& source, Precision precision)
    : m(std::make_unique<Impl>())
{
    const ladder::Plan& plan = source.plan();
    const auto& head = plan.heads.front().front();
    if (!plan.isUniform() || head.slope != 0 || head.window != 0 || head.temperature != 1 || source.spec().pairing != "half" || source.spec().qkNorm != "none"
        || source.spec().dropout != 0)
        throw Error(ErrorKind::Internal, "the eager model knows one ladder for all heads, half-split, and nothing beside it.");
    m->model = source.spec();
    m->ladder = plan.ladders.front();
    m->rotaryDim = m->ladder.kind == ladder::Kind::Nope ? 0 : plan.shape.rotaryDim;
    m->storage = precision == Precision::Fp64 ? at::kDouble : at::kFloat;
    m->compute = precision == Precision::Bf16 ? at::kBFloat16 : m->storage;
    m->device = source.arena().device();
    const at::NoGradGuard guard;
    for (const auto& [name, parameter] : source.parameters()) {
        at::Tensor copy = parameter.detach().to(m->storage, false, true).clone();
        copy.requires_grad_(true);
        m->parameters.emplace_back(name, copy);
        m->byName[name] = copy;
        m->first.push_back(at::zeros_like(copy));
        m->second.push_back(at::zeros_like(copy));
    }
}

EagerModel::~EagerModel() = default;

const std::vector<std::pair<std::string, at::Tensor>>& EagerModel::parameters() const { return m->parameters; }

at::Tensor EagerModel::loss(const at::Tensor& tokens, const at::Tensor& targets) const
{
    const at::Tensor logits = m->logits(m->hidden(tokens, nullptr));
    return at::cross_entropy_loss(logits.view({-1, logits.size(2)}), targets.reshape({-1}));
}

double EagerModel::step(const at::Tensor& tokens, const at::Tensor& targets, double learningRate)
{
    for (auto& [name, parameter] : m->parameters)
        parameter.mutable_grad() = at::Tensor();
    const at::Tensor value = loss(tokens, targets);
    value.backward();
    const at::NoGradGuard guard;
    std::vector<at::Tensor> norms;
    for (const auto& [name, parameter] : m->parameters)
        norms.push_back(at::linalg_vector_norm(parameter.grad()));
    const at::Tensor factor = (at::linalg_vector_norm(at::stack(norms)) + 1e-6).reciprocal().clamp_max(1.0);
    for (auto& [name, parameter] : m->parameters)
        parameter.mutable_grad().mul_(factor);
    ++m->updates;
    for (const bool matrices : {true, false}) {
        std::vector<at::Tensor> parameters, gradients, first, second, counts;
        for (std::size_t i = 0; i < m->parameters.size(); ++i) {
            const at::Tensor& parameter = m->parameters[i].second;
            if ((parameter.dim() > 1) != matrices)
                continue;
            parameters.push_back(parameter);
            gradients.push_back(parameter.grad());
            first.push_back(m->first[i]);
            second.push_back(m->second[i]);
            counts.push_back(at::full({}, double(m->updates), at::TensorOptions().dtype(at::kFloat).device(m->device)));
        }
        at::_fused_adamw_(parameters, gradients, first, second, {}, counts, learningRate, 0.9, 0.95, matrices ? 0.1 : 0.0, 1e-8, false, false);
    }
    return value.item<double>();
}

at::Tensor EagerModel::greedy(const at::Tensor& prompts, std::int64_t count) const
{
    const at::NoGradGuard guard;
    std::vector<LayerCache> caches(std::size_t(m->model.layers));
    std::vector<at::Tensor> answer;
    at::Tensor next = prompts;
    for (std::int64_t i = 0; i < count; ++i) {
        const at::Tensor x = m->hidden(next, &caches);
        next = m->logits(x.narrow(1, x.size(1) - 1, 1)).argmax(2);
        answer.push_back(next);
    }
    return at::cat(answer, 1);
}

}  // namespace holo::bench
