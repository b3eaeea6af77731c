// Autograd functions of what stands between the matrix products of a block.
#include <torch/csrc/autograd/custom_function.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/rms_norm.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/ops/activation.h"
#include "core/ops/kernel_bridge.h"
#include "core/ops/residual_norm.h"
#include "kernels/activation/activation.h"
#include "kernels/norm/norm.h"

namespace holo::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using OptionalTensor = std::optional<at::Tensor>;

OptionalTensor given(const at::Tensor& x) { return x.defined() ? OptionalTensor(x) : std::nullopt; }
at::Tensor orUndefined(const OptionalTensor& x) { return x.value_or(at::Tensor()); }

const float* floats(const at::Tensor& x) { return x.defined() ? x.const_data_ptr<float>() : nullptr; }
float* floatsOut(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr<float>() : nullptr; }
const void* bytes(const at::Tensor& x) { return x.defined() ? x.const_data_ptr() : nullptr; }

at::Tensor likeIfDefined(const at::Tensor& x) { return x.defined() ? at::empty_like(x) : at::Tensor(); }

// Slots of the tensors that the way back needs.
enum Saved { Sum, Mean, Scale, Weight0, Weight1, Bias0, Bias1, SavedCount };

class ResidualNormFunction : public Function<ResidualNormFunction> {
public:
    static variable_list forward(AutogradContext* context, const at::Tensor& x, const OptionalTensor& a, const OptionalTensor& b, const OptionalTensor& biasA,
        const OptionalTensor& biasB, const OptionalTensor& weight0, const OptionalTensor& bias0, const OptionalTensor& weight1, const OptionalTensor& bias1,
        std::int64_t outputs, bool rms, double eps, at::ScalarType type)
    {
        context->set_materialize_grads(false);
        context->saved_data["eps"] = eps;
        context->saved_data["rms"] = rms;
        context->saved_data["outputs"] = outputs;
        context->saved_data["type"] = std::int64_t(type);
        context->saved_data["branches"] = std::int64_t(a ? b ? 2 : 1 : 0);
        context->saved_data["biasA"] = biasA.has_value();
        context->saved_data["biasB"] = biasB.has_value();

        const at::Tensor row = at::empty({x.size(0)}, x.options());
        const at::Tensor sum = a ? at::empty_like(x) : x;
        kernels::NormForward f;
        f.x = floats(x);
        f.a = bytes(orUndefined(a));
        f.b = bytes(orUndefined(b));
        f.biasA = floats(orUndefined(biasA));
        f.biasB = floats(orUndefined(biasB));
        f.sum = a ? sum.mutable_data_ptr<float>() : nullptr;
        const at::Tensor mean = rms ? at::Tensor() : row;
        const at::Tensor scale = rms ? row : at::empty_like(row);
        f.mean = floatsOut(mean);
        f.scale = floatsOut(scale);
        variable_list result;
        if (a)
            result.push_back(sum);
        for (std::int64_t o = 0; o < outputs; ++o) {
            result.push_back(at::empty(x.sizes(), x.options().dtype(type)));
            f.y[o] = result.back().mutable_data_ptr();
        }
        kernels::NormParams p = params(x, outputs, rms, eps, type);
        p.weight[0] = floats(orUndefined(weight0));
        p.weight[1] = floats(orUndefined(weight1));
        p.bias[0] = floats(orUndefined(bias0));
        p.bias[1] = floats(orUndefined(bias1));
        kernels::normForward(p, f, parallelFor());

        variable_list saved(SavedCount);
        saved[Sum] = sum;
        saved[Mean] = mean;
        saved[Scale] = scale;
        saved[Weight0] = orUndefined(weight0);
        saved[Weight1] = orUndefined(weight1);
        saved[Bias0] = orUndefined(bias0);
        saved[Bias1] = orUndefined(bias1);
        context->save_for_backward(saved);
        return result;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const auto outputs = context->saved_data["outputs"].toInt();
        const auto branches = context->saved_data["branches"].toInt();
        const auto type = at::ScalarType(context->saved_data["type"].toInt());
        const at::Tensor& sum = saved[Sum];
        std::size_t next = 0;
        const at::Tensor dsum = branches > 0 && gradients[next++].defined() ? gradients[0].contiguous() : at::Tensor();
        at::Tensor dy[2];
        for (std::int64_t o = 0; o < outputs; ++o, ++next)
            dy[o] = gradients[next].defined() ? gradients[next].contiguous() : at::zeros(sum.sizes(), sum.options().dtype(type));

        const at::Tensor dx = at::empty_like(sum);
        const bool converts = branches > 0 && type != at::kFloat;
        const at::Tensor dbranch = converts ? at::empty(sum.sizes(), sum.options().dtype(type)) : dx;
        const bool wantsBias = context->saved_data["biasA"].toBool() || context->saved_data["biasB"].toBool();
        const at::Tensor dbranchBias = wantsBias ? at::empty({sum.size(1)}, sum.options()) : at::Tensor();
        const at::Tensor dweight[2] = {likeIfDefined(saved[Weight0]), likeIfDefined(saved[Weight1])};
        const at::Tensor dbias[2] = {likeIfDefined(saved[Bias0]), likeIfDefined(saved[Bias1])};
        kernels::NormBackward b;
        b.sum = floats(sum);
        b.mean = floats(saved[Mean]);
        b.scale = floats(saved[Scale]);
        b.dsum = floats(dsum);
        b.dx = floatsOut(dx);
        b.dbranch = converts ? dbranch.mutable_data_ptr() : nullptr;
        b.dbranchBias = floatsOut(dbranchBias);
        kernels::NormParams p = params(sum, outputs, context->saved_data["rms"].toBool(), context->saved_data["eps"].toDouble(), type);
        p.weight[0] = floats(saved[Weight0]);
        p.weight[1] = floats(saved[Weight1]);
        for (std::int64_t o = 0; o < outputs; ++o) {
            b.dy[o] = bytes(dy[o]);
            b.dweight[o] = floatsOut(dweight[o]);
            b.dbias[o] = floatsOut(dbias[o]);
        }
        kernels::normBackward(p, b, parallelFor());
        const at::Tensor none;
        return {dx, branches > 0 ? dbranch : none, branches > 1 ? dbranch : none, context->saved_data["biasA"].toBool() ? dbranchBias : none,
            context->saved_data["biasB"].toBool() ? dbranchBias : none, dweight[0], dbias[0], dweight[1], dbias[1], none, none, none, none};
    }

private:
    static kernels::NormParams params(const at::Tensor& x, std::int64_t outputs, bool rms, double eps, at::ScalarType type)
    {
        kernels::NormParams p;
        p.rows = x.size(0);
        p.width = x.size(1);
        p.rms = rms;
        p.eps = static_cast<float>(eps);
        p.dtype = kernelDtype(type);
        p.outputs = static_cast<std::int32_t>(outputs);
        return p;
    }
};

ResidualNorm residualNormByLibrary(const at::Tensor& x, const std::vector<Branch>& branches, const std::vector<NormWeights>& norms, const NormKind& kind)
{
    ResidualNorm result{x, {}};
    for (const Branch& branch : branches)
        result.sum = result.sum + (branch.bias.defined() ? branch.value + branch.bias.to(branch.value.scalar_type()) : branch.value);
    for (const NormWeights& norm : norms) {
        const at::Tensor y = kind.rms ? at::rms_norm(result.sum, {x.size(1)}, norm.weight, kind.eps)
                                      : at::layer_norm(result.sum, {x.size(1)}, norm.weight, norm.bias, kind.eps);
        result.normals.push_back(y.to(kind.output));
    }
    return result;
}

class ActivationFunction : public Function<ActivationFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& up, const OptionalTensor& upBias, const OptionalTensor& gate, const OptionalTensor& gateBias)
    {
        const at::Tensor y = at::empty_like(up);
        kernels::activationForward(params(up, orUndefined(upBias), orUndefined(gate), orUndefined(gateBias)), y.mutable_data_ptr(), parallelFor());
        context->save_for_backward({up, orUndefined(upBias), orUndefined(gate), orUndefined(gateBias)});
        return y;
    }

    static variable_list backward(AutogradContext* context, variable_list gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor dy = gradients[0].contiguous();
        variable_list result;
        for (const at::Tensor& input : saved)
            result.push_back(likeIfDefined(input));
        kernels::ActivationGradients g;
        g.dy = bytes(dy);
        g.dup = result[0].mutable_data_ptr();
        g.dupBias = floatsOut(result[1]);
        g.dgate = result[2].defined() ? result[2].mutable_data_ptr() : nullptr;
        g.dgateBias = floatsOut(result[3]);
        kernels::activationBackward(params(saved[0], saved[1], saved[2], saved[3]), g, parallelFor());
        return result;
    }

private:
    static kernels::ActivationParams params(const at::Tensor& up, const at::Tensor& upBias, const at::Tensor& gate, const at::Tensor& gateBias)
    {
        kernels::ActivationParams p;
        p.kind = gate.defined() ? kernels::Activation::SwiGlu : kernels::Activation::Gelu;
        p.rows = up.size(0);
        p.width = up.size(1);
        p.dtype = kernelDtype(up.scalar_type());
        p.up = bytes(up);
        p.gate = bytes(gate);
        p.upBias = floats(upBias);
        p.gateBias = floats(gateBias);
        return p;
    }
};

}  // namespace

ResidualNorm residualNorm(const at::Tensor& x, const std::vector<Branch>& branches, const std::vector<NormWeights>& norms, const NormKind& kind)
{
    if (branches.size() > 2 || norms.empty() || norms.size() > 2)
        throw Error(ErrorKind::Internal, "a residual sum takes up to two branches and one or two norms, not " + std::to_string(branches.size()) + " and " + std::to_string(norms.size()) + ".");
    if (!x.is_cpu() || x.scalar_type() != at::kFloat)
        return residualNormByLibrary(x, branches, norms, kind);
    const auto branch = [&](std::size_t i) { return i < branches.size() ? given(branches[i].value.contiguous()) : std::nullopt; };
    const auto branchBias = [&](std::size_t i) { return i < branches.size() ? given(branches[i].bias) : std::nullopt; };
    const NormWeights second = norms.size() > 1 ? norms[1] : NormWeights();
    const variable_list outputs = ResidualNormFunction::apply(x.contiguous(), branch(0), branch(1), branchBias(0), branchBias(1), given(norms[0].weight), given(norms[0].bias),
        given(second.weight), given(second.bias), std::int64_t(norms.size()), kind.rms, kind.eps, kind.output);
    const std::ptrdiff_t first = branches.empty() ? 0 : 1;
    return {branches.empty() ? x : outputs[0], {outputs.begin() + first, outputs.end()}};
}

at::Tensor mlpActivation(const at::Tensor& up, const at::Tensor& upBias, const at::Tensor& gate, const at::Tensor& gateBias)
{
    if (up.is_cpu() && (up.scalar_type() == at::kFloat || up.scalar_type() == at::kBFloat16))
        return ActivationFunction::apply(up.contiguous(), given(upBias), gate.defined() ? given(gate.contiguous()) : std::nullopt, given(gateBias));
    const auto biased = [](const at::Tensor& x, const at::Tensor& bias) { return bias.defined() ? x + bias.to(x.scalar_type()) : x; };
    return gate.defined() ? at::silu(biased(gate, gateBias)) * biased(up, upBias) : at::gelu(biased(up, upBias));
}

}  // namespace holo::ops
