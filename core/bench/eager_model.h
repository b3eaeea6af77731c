#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/transformer.h"

namespace holo::bench {

// The same model as stock LibTorch code would be written: one operation after the other, rotary by narrow, multiply and cat, LibTorch's
// scaled_dot_product_attention, cross_entropy and _fused_adamw_, one tensor a parameter. The opponent of the training benchmarks and, in
// float64, the reference of the model's self-test. One ladder for all heads, half-split pairing, no slopes or windows.
class EagerModel {
public:
    enum class Precision { Fp32, Bf16, Fp64 };  // Bf16: fp32 weights, products in bf16

    // Copies the weights. Throws Error (internal) for a plan that stock code would not have.
    EagerModel(const nn::Transformer& source, Precision precision);
    ~EagerModel();

    // Mean negative log-likelihood over all targets, with autograd; tokens and targets int64 [B,T].
    at::Tensor loss(const at::Tensor& tokens, const at::Tensor& targets) const;
    // The same parameters in the same order and under the same names as Transformer::parameters().
    const std::vector<std::pair<std::string, at::Tensor>>& parameters() const;

    // Forward, backward, clipping at norm 1, AdamW.
    double step(const at::Tensor& tokens, const at::Tensor& targets, double learningRate);

    // Greedy continuation of prompts [B,T] by `count` tokens, int64 [B,count], with a key/value cache; logits at the last position only.
    at::Tensor greedy(const at::Tensor& prompts, std::int64_t count) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace holo::bench
