#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/config/specs.h"
#include "core/ladder/plan.h"

namespace holo::ops {
struct AttentionLayer;
}

namespace holo::nn {

// Decoder-only transformer in two block styles (Pythia's and Llama's). Plain tensors with names, no module tree.
//   embed → blocks → final norm → head (or embedding, if tied)
// Parameter names: embed.weight [V,h]; blocks.K.ln1.{weight,bias}, blocks.K.attn.qkv.{weight,bias} (rows: all q heads, all k heads, all v
// heads; half-split pairing unless the spec says otherwise), blocks.K.attn.out.{weight,bias}, blocks.K.ln2.{weight,bias},
// blocks.K.mlp.up.{weight,bias}, blocks.K.mlp.gate.{weight,bias} (llama), blocks.K.mlp.down.{weight,bias}, final_norm.{weight,bias}, head.weight [V,h].
// Which of the norm weights and biases there are is config::blockParts()'s word.
class Transformer {
public:
    // `model` resolved (no zeros). Initialises from the counter-based generator keyed by (seed, "init", name): equal names and shapes get
    // equal values in every arm. Throws Error (usage) if the plan does not fit.
    Transformer(const config::ModelSpec& model, const ladder::Plan& plan, std::uint64_t seed, at::Device device = at::kCPU);
    ~Transformer();
    Transformer(Transformer&&) noexcept;
    Transformer& operator=(Transformer&&) noexcept;

    const config::ModelSpec& spec() const;
    const ladder::Plan& plan() const;
    // Replaces the positional scheme; weights stay.
    void setPlan(const ladder::Plan& plan);

    std::vector<std::pair<std::string, at::Tensor>> parameters() const;  // in a fixed order
    // The memory of all parameters as one fp32 tensor, without gradient: matrices first, then vectors, each at a multiple of 16 elements
    // (gaps are 0). A parameter lies at its storage_offset(). The optimiser works on this.
    at::Tensor arena() const;
    std::int64_t matrixElements() const;  // length of the arena's first part
    // The unique buffers that a scheme brings (FoPE coefficients), to be stored with a checkpoint.
    std::vector<std::pair<std::string, at::Tensor>> schemeTensors() const;

    // Hidden states after the final norm, [B,T,h]; tokens int64 [B,T]. `positionOffset` shifts all positions. Dropout applies when training
    // and draws from the stream keyed by (seed, "dropout", dropoutKey + row), so that the masks of a window do not depend on how a batch is
    // split. Records for autograd only when training.
    at::Tensor hidden(const at::Tensor& tokens, bool training = false, std::uint64_t dropoutKey = 0, std::int64_t positionOffset = 0);
    // Logits fp32 of the given rows of flattened hidden states ([n] indices into B·T); all rows if undefined.
    at::Tensor logits(const at::Tensor& hidden, const at::Tensor& rows = {});
    // Sum over scored targets (int64 [B,T], −1 ignored) of the negative log-likelihood, fp32 scalar with autograd.
    at::Tensor lossSum(const at::Tensor& tokens, const at::Tensor& targets, std::uint64_t dropoutKey = 0);

    // Calls `visit` in every layer with the packed projections [B,T,(H+2·KV)·d] as they are before the rotation; for probes. `visit` must not
    // change them. Not for use from several threads.
    using AttentionVisitor = std::function<void(int layer, const at::Tensor& qkv, const ops::AttentionLayer& attention)>;
    void visitAttention(const at::Tensor& tokens, const AttentionVisitor& visit);

    // Compute precision of matrix products (weights stay fp32 masters): kFloat or kBFloat16.
    void setComputeType(at::ScalarType type);

    // Frozen copy for evaluation beside training.
    Transformer clone() const;

private:
    struct Impl;
    explicit Transformer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

}  // namespace holo::nn
