#include <cmath>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include "core/base/random.h"
#include "core/bench/eager_model.h"
#include "core/bench/environment.h"
#include "core/bench/selftest.h"
#include "core/bench/ulp.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/nn/transformer.h"

namespace holo::bench {

namespace {

config::ModelSpec tinyModel(const std::string& style)
{
    config::ModelSpec spec;
    spec.style = style;
    spec.layers = 2;
    spec.hidden = 32;
    spec.heads = 4;
    spec.kvHeads = style == "llama" ? 2 : 4;
    spec.context = 24;
    spec.rotaryPct = style == "llama" ? 1.0 : 0.5;
    return config::resolved(spec, 31);
}

at::Tensor ids(std::int64_t rows, std::int64_t columns, int vocabulary, std::uint64_t seed)
{
    RandomStream random(seed, "bench.tokens");
    at::Tensor tensor = at::empty({rows, columns}, at::TensorOptions().dtype(at::kLong));
    for (std::int64_t i = 0; i < rows * columns; ++i)
        tensor.mutable_data_ptr<std::int64_t>()[i] = std::int64_t(random.below(std::uint64_t(vocabulary)));
    return tensor;
}

// Biases and gains start at 0 and 1, which hides faults.
void stir(nn::Transformer& model)
{
    for (const auto& [name, parameter] : model.parameters()) {
        RandomStream random(5, "bench.stir", {std::uint64_t(parameter.storage_offset())});
        float* values = parameter.detach().mutable_data_ptr<float>();
        for (std::int64_t i = 0; i < parameter.numel(); ++i)
            values[i] += 0.1f * float(random.normal());
    }
}

class Problem {
public:
    explicit Problem(const std::string& style)
        : m_spec(tinyModel(style))
        , m_plan(ladder::resolve(config::parseScheme("standard"), config::modelShape(m_spec, 1)))
        , m_model(m_spec, m_plan, 1)
        , m_tokens(ids(2, m_spec.context, m_spec.vocab, 2))
        , m_targets(ids(2, m_spec.context, m_spec.vocab, 3))
    {
        stir(m_model);
    }

    double loss()
    {
        const at::NoGradGuard guard;
        return m_model.lossSum(m_tokens, m_targets).item<double>();
    }

    // Gradients of the loss as detached copies, in the order of the parameters.
    std::vector<at::Tensor> gradients()
    {
        for (auto& [name, parameter] : m_model.parameters())
            parameter.mutable_grad() = at::Tensor();
        m_model.lossSum(m_tokens, m_targets).backward();
        std::vector<at::Tensor> result;
        for (const auto& [name, parameter] : m_model.parameters())
            result.push_back(parameter.grad().clone());
        return result;
    }

    // Largest relative deviation, over all parameters, of the derivative along the gradient from a central difference of the loss.
    double finiteDifferences()
    {
        const auto all = gradients();
        const at::NoGradGuard guard;
        double worst = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            at::Tensor values = m_model.parameters()[i].second.detach();
            const at::Tensor start = values.clone();
            const double norm = all[i].norm().item<double>();
            if (norm == 0)
                continue;
            const at::Tensor direction = all[i] / norm;
            // Richardson's step removes the error of the second order, so the distance may be wide enough for fp32 sums.
            const auto slope = [&](double step) {
                values.copy_(start + direction * step);
                const double above = loss();
                values.copy_(start - direction * step);
                const double below = loss();
                values.copy_(start);
                return (above - below) / (2 * step);
            };
            const double step = std::min(0.05 * start.norm().item<double>(), 0.5 / norm);
            const double estimate = (4 * slope(step / 2) - slope(step)) / 3;
            worst = std::max(worst, std::abs(estimate - norm) / norm);
        }
        return worst;
    }

    ErrorCount againstFloat64(double& lossError)
    {
        const auto all = gradients();
        const EagerModel exact(m_model, EagerModel::Precision::Fp64);
        const at::Tensor mean = exact.loss(m_tokens, m_targets);
        const double count = double(m_targets.numel());
        (mean * count).backward();
        lossError = std::abs(loss() / count - mean.item<double>());
        ErrorCount errors(kernels::Dtype::Float32);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const at::Tensor wanted = exact.parameters()[i].second.grad().contiguous();
            const double scale = wanted.norm().item<double>() / std::sqrt(double(wanted.numel()));
            const at::Tensor got = all[i].contiguous();
            for (std::int64_t e = 0; e < wanted.numel(); ++e)
                errors.addAtScale(got.const_data_ptr<float>()[e], wanted.const_data_ptr<double>()[e], scale);
        }
        return errors;
    }

    int differencesOfTwoRuns()
    {
        const auto first = gradients();
        const auto second = gradients();
        int different = 0;
        for (std::size_t i = 0; i < first.size(); ++i)
            different += !at::equal(first[i], second[i]);
        return different;
    }

private:
    config::ModelSpec m_spec;
    ladder::Plan m_plan;
    nn::Transformer m_model;
    at::Tensor m_tokens, m_targets;
};

}  // namespace

std::vector<Row> selftestModel(const SelftestOptions&)
{
    std::vector<Row> rows;
    const std::string device = cpuDevice();
    for (const std::string style : {"neox", "llama"}) {
        Problem problem(style);
        Row differences = valueRow("model gradients vs finite differences", style, problem.finiteDifferences(), "of the norm", atMost(1e-2), device);
        differences.note = "largest over all parameters, along each one's gradient";
        rows.push_back(std::move(differences));
        double lossError = 0;
        const ErrorCount errors = problem.againstFloat64(lossError);
        rows.push_back(valueRow("model loss vs float64", style, lossError, "nats", atMost(1e-5), device));
        Row gradients = valueRow("model gradients vs float64", style, errors.normError(), "of the norm", atMost(1e-5), device);
        gradients.details = errors.json();
        rows.push_back(std::move(gradients));
        rows.push_back(valueRow("model same bits twice", style, problem.differencesOfTwoRuns(), "different gradients", atMost(0), device));
    }
    return rows;
}

}  // namespace holo::bench
