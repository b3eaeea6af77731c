#include "core/train/adamw.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros_like.h>

namespace holo::train {

AdamW::AdamW(nn::Transformer& model, const config::TrainSpec& train)
    : m_model(model)
    , m_train(train)
    , m_gradients(at::zeros_like(model.arena()))
    , m_first(at::zeros_like(model.arena()))
    , m_second(at::zeros_like(model.arena()))
{
    for (auto& [name, parameter] : model.parameters())
        parameter.mutable_grad() = m_gradients.narrow(0, parameter.storage_offset(), parameter.numel()).view(parameter.sizes());
}

void AdamW::zeroGradients() { m_gradients.zero_(); }

double AdamW::gradientNorm() const
{
    const double norm = at::linalg_vector_norm(m_gradients).item<double>();
    return std::isfinite(norm) ? norm : at::linalg_vector_norm(m_gradients, 2, {}, false, at::kDouble).item<double>();
}

void AdamW::scaleGradients(double factor) { m_gradients.mul_(factor); }

std::string AdamW::firstNonFinite() const
{
    for (const auto& [name, parameter] : m_model.parameters())
        if (!at::isfinite(parameter.grad()).all().item<bool>())
            return name;
    return {};
}

void AdamW::update(double learningRate)
{
    const at::NoGradGuard guard;
    ++m_updates;
    const auto part = [&](std::int64_t begin, std::int64_t end, double decay) {
        if (begin == end)
            return;
        const auto slice = [&](const at::Tensor& x) { return x.narrow(0, begin, end - begin); };
        const at::Tensor count = at::full({}, double(m_updates), m_gradients.options());
        at::_fused_adamw_({slice(m_model.arena())}, {slice(m_gradients)}, {slice(m_first)}, {slice(m_second)}, {}, {count}, learningRate, m_train.beta1, m_train.beta2,
            decay, m_train.eps, false, false);
    };
    const std::int64_t matrices = m_model.matrixElements();
    part(0, matrices, m_train.weightDecay);
    part(matrices, m_gradients.numel(), m_train.decay == "all" ? m_train.weightDecay : 0.0);
}

}  // namespace holo::train
