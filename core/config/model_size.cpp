#include <algorithm>

#include "core/base/error.h"
#include "core/config/block_parts.h"
#include "core/config/project.h"

namespace holo::config {

namespace {

struct Counts {
    std::int64_t embedding = 0;  // input
    std::int64_t head = 0;       // output; 0 if tied
    std::int64_t matrices = 0;   // of the blocks
    std::int64_t vectors = 0;    // biases and norm gains
};

Counts count(const ModelSpec& m)
{
    const std::int64_t h = m.hidden;
    const std::int64_t q = std::int64_t(m.heads) * m.headDim;
    const std::int64_t qkv = q + 2 * std::int64_t(m.kvHeads) * m.headDim;
    const BlockParts parts = blockParts(m);
    const std::int64_t ups = parts.gated ? 2 : 1;
    const std::int64_t norm = parts.norm == NormKind::LayerNorm ? 2 * h : parts.norm == NormKind::RmsNorm ? h : 0;
    Counts c;
    c.embedding = m.vocab * h;
    c.head = m.tied ? 0 : m.vocab * h;
    c.matrices = m.layers * (qkv * h + q * h + (ups + 1) * h * m.mlp);
    c.vectors = m.layers * (2 * norm + (parts.qkvBias ? qkv : 0) + (parts.outputBias ? h : 0) + (parts.mlpBias ? ups * m.mlp + h : 0)) + norm;
    return c;
}

}  // namespace

ModelSpec resolved(const ModelSpec& model, int vocab)
{
    ModelSpec m = model;
    if (m.kvHeads == 0)
        m.kvHeads = m.heads;
    if (m.headDim == 0)
        m.headDim = m.hidden / m.heads;
    if (m.mlp == 0)
        m.mlp = m.style == "neox" ? 4 * m.hidden : ((8 * m.hidden + 2) / 3 + 7) / 8 * 8;
    if (m.vocab == 0)
        m.vocab = vocab;
    if (m.vocab <= 0)
        throw Error::at(ErrorKind::Usage, {"", "model.vocab", std::to_string(m.vocab), "a vocabulary above 0"});
    return m;
}

ladder::ModelShape modelShape(const ModelSpec& model, std::int64_t seed)
{
    ladder::ModelShape shape;
    shape.layers = model.layers;
    shape.heads = model.heads;
    shape.kvHeads = model.kvHeads > 0 ? model.kvHeads : model.heads;
    shape.headDim = model.headDim > 0 ? model.headDim : model.hidden / model.heads;
    shape.rotaryDim = int(shape.headDim * model.rotaryPct);
    shape.context = model.context;
    shape.base = model.ropeBase;
    shape.pairing = model.pairing == "interleaved" ? ladder::Pairing::Interleaved : ladder::Pairing::HalfSplit;
    shape.seed = std::uint64_t(seed);
    return shape;
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const Counts c = count(model);
    return c.embedding + c.head + c.matrices + c.vectors;
}

std::int64_t nonEmbeddingParameterCount(const ModelSpec& model)
{
    const Counts c = count(model);
    return c.matrices + c.vectors;
}

double flopsPerToken(const ModelSpec& model)
{
    const Counts c = count(model);
    const double products = double(c.matrices) + double(model.vocab) * model.hidden;
    // Scores and weighted values: 2 products of head_dim multiply-adds with each of on average (T+1)/2 keys.
    const double attention = double(model.layers) * model.heads * model.headDim * 2 * (double(model.context) + 1) / 2;
    return 3 * 2 * (products + attention);
}

std::int64_t checkpointBytes(const ModelSpec& model) { return 3 * 4 * parameterCount(model); }

std::int64_t peakMemoryBytes(const RunSpec& spec)
{
    const ModelSpec& m = spec.model;
    const std::int64_t rows = std::int64_t(spec.train.batch) * m.context;
    const std::int64_t q = std::int64_t(m.heads) * m.headDim;
    const std::int64_t qkv = q + 2 * std::int64_t(m.kvHeads) * m.headDim;
    const bool neox = m.style == "neox";
    // Floats that a block keeps of a token for the backward pass: two norms in and out, packed QKV, attention out, MLP inside.
    const std::int64_t perBlock = 4 * std::int64_t(m.hidden) + qkv + q + (neox ? 2 : 4) * std::int64_t(m.mlp);
    const std::int64_t activation = spec.train.precision == "bf16" ? 2 : 4;
    const std::int64_t weights = 4 * 4 * parameterCount(m);  // weights, gradients, two moments
    return weights + rows * (m.layers * perBlock + 2 * m.hidden) * activation + 2 * 4 * rows * m.vocab;
}

std::int64_t promptMemoryBytes(const ModelSpec& model, std::int64_t tokens)
{
    const std::int64_t q = std::int64_t(model.heads) * model.headDim;
    const std::int64_t qkv = q + 2 * std::int64_t(model.kvHeads) * model.headDim;
    // Residual stream, norm, the widest pair of what a block makes; and the ladder's cosines and sines.
    return 4 * tokens * (2 * std::int64_t(model.hidden) + std::max(qkv + q, 2 * std::int64_t(model.mlp)) + model.headDim);
}

}  // namespace holo::config
