#include "core/nn/transformer.h"

#include <algorithm>
#include <map>
#include <mutex>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/config/block_parts.h"
#include "core/nn/attention_layers.h"
#include "core/nn/initialise.h"
#include "core/ops/activation.h"
#include "core/ops/attention.h"
#include "core/ops/classifier.h"
#include "core/ops/residual_norm.h"
#include "core/ops/rotary.h"
#include "core/ops/special_attention.h"

namespace holo::nn {

namespace {

constexpr std::int64_t kAlignment = 16;  // elements; a cache line
constexpr std::size_t kCachedLengths = 8;

struct Slot {
    std::string name;
    std::vector<std::int64_t> shape;
    Role role;
};

struct Projection {
    at::Tensor weight, bias;
};

struct Block {
    ops::NormWeights ln1, ln2;
    Projection qkv, out, up, gate, down;
    at::Tensor mobius;  // coefficients of learned query transformations; undefined: none
};

int transformedHeads(const ladder::Plan& plan, int layer)
{
    const auto& heads = plan.heads[std::size_t(layer)];
    return int(std::count_if(heads.begin(), heads.end(), [](const auto& head) { return head.form == ladder::AttentionForm::MobiusQuery; }));
}

std::vector<Slot> slotsOf(const config::ModelSpec& m, const ladder::Plan& plan)
{
    const config::BlockParts parts = config::blockParts(m);
    const std::int64_t h = m.hidden;
    std::vector<Slot> slots;
    const auto norm = [&](const std::string& name) {
        if (parts.norm != config::NormKind::Plain)
            slots.push_back({name + ".weight", {h}, Role::One});
        if (parts.norm == config::NormKind::LayerNorm)
            slots.push_back({name + ".bias", {h}, Role::Zero});
    };
    const auto projection = [&](const std::string& name, std::int64_t out, std::int64_t in, Role role, bool bias) {
        slots.push_back({name + ".weight", {out, in}, role});
        if (bias)
            slots.push_back({name + ".bias", {out}, Role::Zero});
    };
    slots.push_back({"embed.weight", {m.vocab, h}, Role::Input});
    if (plan.landmarkBlock > 0)
        slots.push_back({"landmark.weight", {h}, Role::Input});
    for (int l = 0; l < m.layers; ++l) {
        const std::string block = "blocks." + std::to_string(l) + ".";
        norm(block + "ln1");
        projection(block + "attn.qkv", std::int64_t(m.heads + 2 * m.kvHeads) * m.headDim, h, Role::Input, parts.qkvBias);
        if (const int transformed = transformedHeads(plan, l); transformed > 0)
            slots.push_back({block + "attn.mobius", {std::int64_t(transformed) * (m.headDim / 2) * 8}, Role::Identity});
        projection(block + "attn.out", h, std::int64_t(m.heads) * m.headDim, Role::Output, parts.outputBias);
        norm(block + "ln2");
        projection(block + "mlp.up", m.mlp, h, Role::Input, parts.mlpBias);
        if (parts.gated)
            projection(block + "mlp.gate", m.mlp, h, Role::Input, parts.mlpBias);
        projection(block + "mlp.down", h, m.mlp, Role::Output, parts.mlpBias);
    }
    norm("final_norm");
    if (!m.tied)
        slots.push_back({"head.weight", {m.vocab, h}, Role::Input});
    return slots;
}

void checkFit(const config::ModelSpec& m, const ladder::Plan& plan)
{
    const auto& shape = plan.shape;
    if (m.vocab < 1 || m.headDim < 1 || m.kvHeads < 1 || m.mlp < 1)
        throw Error(ErrorKind::Internal, "a model needs its vocabulary, head width, key heads and MLP width resolved.");
    if (shape.layers != m.layers || shape.heads != m.heads || shape.kvHeads != m.kvHeads || shape.headDim != m.headDim || int(plan.heads.size()) != m.layers)
        throw Error(ErrorKind::Usage, "the scheme was resolved for " + std::to_string(shape.layers) + " layers of " + std::to_string(shape.heads) + " heads ("
            + std::to_string(shape.kvHeads) + " key heads, width " + std::to_string(shape.headDim) + "); the model has " + std::to_string(m.layers) + " layers of "
            + std::to_string(m.heads) + " heads (" + std::to_string(m.kvHeads) + ", width " + std::to_string(m.headDim) + ").");
}

}  // namespace

struct Transformer::Impl {
    config::ModelSpec model;
    config::BlockParts parts;
    ladder::Plan plan;
    std::uint64_t seed = 0;
    at::Device device = at::kCPU;
    at::ScalarType computeType = at::kFloat;
    bool transforms = false;  // the plan asks for the learned query transformations

    at::Tensor arena;
    std::int64_t matrixElements = 0;
    std::vector<std::pair<std::string, at::Tensor>> parameters;
    std::map<std::string, at::Tensor> byName;
    std::vector<Block> blocks;
    ops::NormWeights finalNorm;
    at::Tensor embed, head;
    at::Tensor landmark;  // embedding of the token that ends each block; undefined: none

    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<ops::AttentionLayerPtr>> layers;  // by length and offset
    std::mutex layersMutex;
    const AttentionVisitor* visitor = nullptr;

    Impl(const config::ModelSpec& modelSpec, const ladder::Plan& positionPlan, std::uint64_t initSeed, at::Device where)
        : model(modelSpec)
        , parts(config::blockParts(modelSpec))
        , plan(positionPlan)
        , seed(initSeed)
        , device(where)
    {
        checkFit(model, plan);
        transforms = transformedHeads(plan, 0) > 0;
        allocate(slotsOf(model, plan));
        bind();
    }

    void allocate(const std::vector<Slot>& slots)
    {
        const auto padded = [](const Slot& slot) {
            std::int64_t count = 1;
            for (const std::int64_t n : slot.shape)
                count *= n;
            return (count + kAlignment - 1) / kAlignment * kAlignment;
        };
        std::int64_t total = 0;
        std::map<std::string, std::int64_t> offsets;
        for (const bool matrices : {true, false}) {
            for (const Slot& slot : slots)
                if ((slot.shape.size() > 1) == matrices) {
                    offsets[slot.name] = total;
                    total += padded(slot);
                }
            if (matrices)
                matrixElements = total;
        }
        arena = at::zeros({total}, at::TensorOptions().dtype(at::kFloat).device(device));
        for (const Slot& slot : slots) {
            std::int64_t count = 1;
            for (const std::int64_t n : slot.shape)
                count *= n;
            at::Tensor parameter = arena.narrow(0, offsets[slot.name], count).view(slot.shape).detach();
            parameter.requires_grad_(true);
            parameters.emplace_back(slot.name, parameter);
            byName[slot.name] = parameter;
        }
    }

    at::Tensor find(const std::string& name) const
    {
        const auto it = byName.find(name);
        return it == byName.end() ? at::Tensor() : it->second;
    }

    void bind()
    {
        const auto norm = [&](const std::string& name) { return ops::NormWeights{find(name + ".weight"), find(name + ".bias")}; };
        const auto projection = [&](const std::string& name) { return Projection{find(name + ".weight"), find(name + ".bias")}; };
        embed = find("embed.weight");
        head = model.tied ? embed : find("head.weight");
        landmark = find("landmark.weight");
        finalNorm = norm("final_norm");
        for (int l = 0; l < model.layers; ++l) {
            const std::string block = "blocks." + std::to_string(l) + ".";
            blocks.push_back({norm(block + "ln1"), norm(block + "ln2"), projection(block + "attn.qkv"), projection(block + "attn.out"),
                projection(block + "mlp.up"), projection(block + "mlp.gate"), projection(block + "mlp.down"), find(block + "attn.mobius")});
        }
    }

    // Sequences may be run from several threads at once, so the tables are handed out as shared owners.
    std::vector<ops::AttentionLayerPtr> layersFor(std::int64_t length, std::int64_t offset)
    {
        const std::lock_guard lock(layersMutex);
        const auto key = std::make_pair(length, offset);
        const auto it = layers.find(key);
        if (it != layers.end())
            return it->second;
        if (layers.size() >= kCachedLengths)
            layers.clear();
        return layers[key] = attentionLayers(plan, length, offset, device, true);
    }

    at::Tensor cast(const at::Tensor& x) const { return x.scalar_type() == computeType || !x.defined() ? x : x.to(computeType); }

    at::Tensor project(const at::Tensor& x, const Projection& p) const
    {
        return p.bias.defined() ? at::linear(x, cast(p.weight), cast(p.bias)) : at::linear(x, cast(p.weight));
    }

    ops::ResidualNorm normalise(const at::Tensor& x, const std::vector<ops::Branch>& branches, const std::vector<ops::NormWeights>& norms) const
    {
        return ops::residualNorm(x, branches, norms, {parts.norm == config::NormKind::RmsNorm, model.normEps, computeType});
    }

    // q and k per head, v as it is.
    at::Tensor normaliseHeads(const at::Tensor& qkv) const
    {
        const std::int64_t rotated = std::int64_t(model.heads + model.kvHeads) * model.headDim;
        const at::Tensor heads = qkv.narrow(2, 0, rotated).reshape({qkv.size(0), qkv.size(1), model.heads + model.kvHeads, model.headDim});
        const at::Tensor normal = model.qkNorm == "rms" ? at::rms_norm(heads, {model.headDim}, {}, model.normEps)
                                                        : at::layer_norm(heads, {model.headDim}, {}, {}, model.normEps);
        return at::cat({normal.reshape({qkv.size(0), qkv.size(1), rotated}), qkv.narrow(2, rotated, qkv.size(2) - rotated)}, 2);
    }

    at::Tensor attend(const at::Tensor& qkv, const ops::AttentionLayerPtr& layer, const Block& block) const
    {
        if (plan.landmarkBlock > 0)
            return ops::attendLandmark(qkv, layer, plan.landmarkBlock, int(plan.heads.front().front().window / plan.landmarkBlock));
        if (!block.mobius.defined() || !transforms)
            return ops::attend(qkv, layer);
        const at::Tensor rotated = ops::rotaryPacked(qkv, layer);
        const int heads = int(block.mobius.numel() / (model.headDim / 2 * 8));
        return ops::attend(ops::mobiusQueries(rotated, *layer, heads, block.mobius), ops::withoutRotation(*layer));
    }

    // Heads side by side, before the output projection.
    at::Tensor attention(const at::Tensor& x, const Block& block, int index, const ops::AttentionLayerPtr& layer, std::int64_t batch, std::int64_t tokens) const
    {
        at::Tensor qkv = project(x, block.qkv).view({batch, tokens, layer->rowWidth()});
        if (model.qkNorm != "none")
            qkv = normaliseHeads(qkv);
        if (visitor)
            (*visitor)(index, qkv, *layer);
        const at::Tensor mixed = attend(qkv, layer, block);
        return mixed.view({batch * tokens, mixed.size(2)});
    }

    // Before the second projection.
    at::Tensor mlp(const at::Tensor& x, const Block& block) const
    {
        const at::Tensor gate = block.gate.weight.defined() ? at::linear(x, cast(block.gate.weight)) : at::Tensor();
        return ops::mlpActivation(at::linear(x, cast(block.up.weight)), block.up.bias, gate, block.gate.bias);
    }

    // Keeps an element of row r with probability 1 − p, scaled up by 1/(1 − p).
    at::Tensor drop(const at::Tensor& x, std::uint64_t key, std::int64_t batch, int layer, int branch) const
    {
        const std::int64_t row = x.numel() / batch;
        at::Tensor mask = at::empty({batch, row}, at::TensorOptions().dtype(at::kFloat));
        float* values = mask.mutable_data_ptr<float>();
        const auto threshold = static_cast<std::uint32_t>(model.dropout * 4294967296.0);
        const float kept = static_cast<float>(1.0 / (1.0 - model.dropout));
        at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                RandomStream random(seed, "dropout", {key + std::uint64_t(r), std::uint64_t(layer), std::uint64_t(branch)});
                for (std::int64_t i = 0; i < row; ++i)
                    values[r * row + i] = random.next32() < threshold ? 0.0f : kept;
            }
        });
        return x * mask.view(x.sizes()).to(x.options());
    }

    // [B·T, h]
    at::Tensor run(const at::Tensor& tokens, bool training, std::uint64_t key, std::int64_t offset)
    {
        if (tokens.dim() != 2)
            throw Error(ErrorKind::Internal, "tokens need the shape [batch, tokens].");
        const std::int64_t batch = tokens.size(0);
        const at::Tensor x = at::embedding(embed, tokens.reshape({batch * tokens.size(1)}));
        if (plan.landmarkBlock == 0)
            return blocksOn(x, batch, tokens.size(1), training, key, offset);
        const LandmarkPlaces places = landmarkPlaces(tokens.size(1));
        const at::Tensor marked = at::cat({x.view({batch, tokens.size(1), model.hidden}), landmark.view({1, 1, model.hidden}).expand({batch, 1, model.hidden})}, 1).index_select(1, places.sources);
        const at::Tensor y = blocksOn(marked.reshape({-1, model.hidden}), batch, marked.size(1), training, key, offset + offset / (plan.landmarkBlock - 1));
        return y.view({batch, marked.size(1), model.hidden}).index_select(1, places.tokens).reshape({-1, model.hidden});
    }

    // A landmark follows every block − 1 tokens: where each place of the longer sequence comes from (the sequence's length: the landmark), and
    // at which places the tokens lie.
    struct LandmarkPlaces {
        at::Tensor sources, tokens;
    };
    LandmarkPlaces landmarkPlaces(std::int64_t length) const
    {
        const std::int64_t own = plan.landmarkBlock - 1;
        const auto options = at::TensorOptions().dtype(at::kLong);
        LandmarkPlaces places{at::empty({length + length / own}, options), at::empty({length}, options)};
        std::int64_t* source = places.sources.mutable_data_ptr<std::int64_t>();
        std::int64_t* token = places.tokens.mutable_data_ptr<std::int64_t>();
        for (std::int64_t n = 0; n < length; ++n) {
            token[n] = n + n / own;
            source[token[n]] = n;
            if (n % own == own - 1)
                source[token[n] + 1] = length;
        }
        return {places.sources.to(device), places.tokens.to(device)};
    }

    at::Tensor blocksOn(at::Tensor x, std::int64_t batch, std::int64_t length, bool training, std::uint64_t key, std::int64_t offset)
    {
        const auto perLayer = layersFor(length, offset);
        const bool drops = training && model.dropout > 0;
        std::vector<ops::Branch> branches;  // not yet added to x
        for (int l = 0; l < model.layers; ++l) {
            const Block& block = blocks[std::size_t(l)];
            const auto& layer = perLayer[std::size_t(l)];
            // A bias is left to the residual sum, but dropout has to see it.
            const auto branch = [&](const at::Tensor& y, const Projection& out, int which) {
                return drops ? ops::Branch{drop(project(y, out), key, batch, l, which), {}} : ops::Branch{at::linear(y, cast(out.weight)), out.bias};
            };
            if (parts.parallel) {
                const auto [sum, normals] = normalise(x, branches, {block.ln1, block.ln2});
                x = sum;
                branches = {branch(attention(normals[0], block, l, layer, batch, length), block.out, 0), branch(mlp(normals[1], block), block.down, 1)};
            } else {
                const ops::ResidualNorm before = normalise(x, branches, {block.ln1});
                const ops::Branch mixed = branch(attention(before.normals[0], block, l, layer, batch, length), block.out, 0);
                const ops::ResidualNorm between = normalise(before.sum, {mixed}, {block.ln2});
                x = between.sum;
                branches = {branch(mlp(between.normals[0], block), block.down, 1)};
            }
        }
        return normalise(x, branches, {finalNorm}).normals[0];
    }

    at::Tensor logits(const at::Tensor& rows) const { return at::linear(cast(rows), cast(head)).to(at::kFloat); }
};

Transformer::Transformer(const config::ModelSpec& model, const ladder::Plan& plan, std::uint64_t seed, at::Device device)
    : m(std::make_unique<Impl>(model, plan, seed, device))
{
    if (seed == kFromFile)
        return;
    const auto slots = slotsOf(model, plan);
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const at::Tensor& parameter = m->parameters[i].second;
        at::Tensor values = device.is_cpu() ? parameter.detach() : at::empty(parameter.sizes(), at::TensorOptions().dtype(at::kFloat));
        initialise(values, slots[i].name, slots[i].role, model, seed);
        if (!device.is_cpu())
            parameter.copy_(values);
    }
}

Transformer::Transformer(std::unique_ptr<Impl> impl)
    : m(std::move(impl))
{
}

Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

const config::ModelSpec& Transformer::spec() const { return m->model; }
const ladder::Plan& Transformer::plan() const { return m->plan; }

void Transformer::setPlan(const ladder::Plan& plan)
{
    checkFit(m->model, plan);
    for (int l = 0; l < m->model.layers; ++l) {
        const at::Tensor& owned = m->blocks[std::size_t(l)].mobius;
        const std::int64_t asked = std::int64_t(transformedHeads(plan, l)) * (m->model.headDim / 2) * 8;
        if (asked > 0 && (!owned.defined() || owned.numel() != asked))
            throw Error(ErrorKind::Usage, "the scheme needs learned query transformations that this model was not trained with; allowed: schemes without, or a model trained with them.");
    }
    if (plan.landmarkBlock > 0 && !m->landmark.defined())
        throw Error(ErrorKind::Usage, "the scheme needs a landmark token that this model was not trained with; allowed: schemes without, or a model trained with one.");
    m->plan = plan;
    m->transforms = transformedHeads(plan, 0) > 0;
    m->layers.clear();
}

std::vector<std::pair<std::string, at::Tensor>> Transformer::parameters() const { return m->parameters; }
at::Tensor Transformer::arena() const { return m->arena; }
std::int64_t Transformer::matrixElements() const { return m->matrixElements; }

std::vector<std::pair<std::string, at::Tensor>> Transformer::schemeTensors() const
{
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    const auto add = [&](const std::string& name, const ladder::Matrix& matrix) {
        const auto columns = matrix.empty() ? 0 : std::int64_t(matrix.front().size());
        at::Tensor tensor = at::empty({std::int64_t(matrix.size()), columns}, at::TensorOptions().dtype(at::kDouble));
        double* value = tensor.mutable_data_ptr<double>();
        for (const auto& row : matrix)
            value = std::copy(row.begin(), row.end(), value);
        tensors.emplace_back(name, tensor);
    };
    for (std::size_t i = 0; i < m->plan.ladders.size(); ++i) {
        const auto& ladder = m->plan.ladders[i];
        if (!ladder.fourier)
            continue;
        const std::string name = "scheme.ladders." + std::to_string(i) + ".";
        add(name + "kept", {ladder.fourier->kept});
        add(name + "cos", ladder.fourier->cosCoefficients);
        add(name + "sin", ladder.fourier->sinCoefficients);
    }
    return tensors;
}

at::Tensor Transformer::hidden(const at::Tensor& tokens, bool training, std::uint64_t dropoutKey, std::int64_t positionOffset)
{
    const at::AutoGradMode mode(training && at::GradMode::is_enabled());
    return m->run(tokens, training, dropoutKey, positionOffset).view({tokens.size(0), tokens.size(1), m->model.hidden});
}

at::Tensor Transformer::logits(const at::Tensor& hidden, const at::Tensor& rows)
{
    const at::Tensor flat = hidden.reshape({-1, m->model.hidden});
    return m->logits(rows.defined() ? flat.index_select(0, rows) : flat);
}

at::Tensor Transformer::lossSum(const at::Tensor& tokens, const at::Tensor& targets, std::uint64_t dropoutKey)
{
    return ops::classifierLossSum(m->cast(m->run(tokens, true, dropoutKey, 0)), m->cast(m->head), targets.reshape({-1}));
}

void Transformer::visitAttention(const at::Tensor& tokens, const AttentionVisitor& visit)
{
    m->visitor = &visit;
    try {
        hidden(tokens);
    } catch (...) {
        m->visitor = nullptr;
        throw;
    }
    m->visitor = nullptr;
}

void Transformer::setComputeType(at::ScalarType type)
{
    if (type != at::kFloat && type != at::kBFloat16)
        throw Error(ErrorKind::Usage, std::string("compute type is ") + c10::toString(type) + "; allowed: Float, BFloat16.");
    m->computeType = type;
}

Transformer Transformer::clone() const
{
    Transformer copy(std::make_unique<Impl>(m->model, m->plan, m->seed, m->device));
    const at::NoGradGuard guard;
    copy.m->arena.copy_(m->arena);
    copy.m->computeType = m->computeType;
    for (auto& [name, parameter] : copy.m->parameters)
        parameter.requires_grad_(false);
    return copy;
}

}  // namespace holo::nn
