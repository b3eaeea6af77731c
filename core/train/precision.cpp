#include "core/train/precision.h"

#include <algorithm>
#include <chrono>

#include "core/config/project.h"

namespace holo::train {

namespace {

constexpr double kProbeFlops = 2e10;  // bounds the probe to well under a second

double secondsOf(nn::Transformer& model, const at::Tensor& tokens, const at::Tensor& targets, at::ScalarType type)
{
    model.setComputeType(type);
    double best = 0;
    for (int round = 0; round < 3; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        const at::Tensor loss = model.lossSum(tokens, targets);
        loss.backward();
        loss.item<float>();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (round == 1 || (round == 2 && seconds < best))
            best = seconds;
    }
    return best;
}

}  // namespace

PrecisionProbe probePrecision(nn::Transformer& model, const at::Tensor& tokens, const at::Tensor& targets)
{
    const double windowFlops = config::flopsPerToken(model.spec()) * double(tokens.size(1));
    const auto windows = std::clamp<std::int64_t>(std::int64_t(kProbeFlops / windowFlops), 1, tokens.size(0));
    const at::Tensor part = tokens.narrow(0, 0, windows);
    const at::Tensor partTargets = targets.narrow(0, 0, windows);
    PrecisionProbe probe;
    probe.fp32Seconds = secondsOf(model, part, partTargets, at::kFloat);
    probe.bf16Seconds = secondsOf(model, part, partTargets, at::kBFloat16);
    probe.chosen = probe.bf16Seconds < probe.fp32Seconds ? "bf16" : "fp32";
    return probe;
}

at::ScalarType computeType(const std::string& precision) { return precision == "bf16" ? at::kBFloat16 : at::kFloat; }

}  // namespace holo::train
