#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/config/specs.h"
#include "core/nn/transformer.h"

namespace holo::train {

// AdamW (Loshchilov and Hutter, arXiv 1711.05101) over the model's arena: gradients and moments are flat tensors of the same layout, and
// every parameter's gradient is a view of the flat one, so that norm, clipping and update are a few calls whatever the number of tensors.
// Weight decay falls on matrices (embeddings too), or on everything if the spec says so.
class AdamW {
public:
    AdamW(nn::Transformer& model, const config::TrainSpec& train);

    void zeroGradients();
    // Euclidean norm over all parameters; exact sums in double where float would overflow.
    double gradientNorm() const;
    void scaleGradients(double factor);
    // Name of the first parameter with a non-finite gradient, empty if there is none.
    std::string firstNonFinite() const;
    // One update; counts itself for the bias correction.
    void update(double learningRate);

    at::Tensor gradients() const { return m_gradients; }
    at::Tensor firstMoments() const { return m_first; }
    at::Tensor secondMoments() const { return m_second; }
    std::int64_t updates() const { return m_updates; }
    void setUpdates(std::int64_t updates) { m_updates = updates; }

private:
    nn::Transformer& m_model;
    config::TrainSpec m_train;
    at::Tensor m_gradients, m_first, m_second;
    std::int64_t m_updates = 0;
};

}  // namespace holo::train
