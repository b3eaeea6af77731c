#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/config/project.h"

namespace holo::config {

std::int64_t totalSteps(const RunSpec& spec)
{
    if (spec.train.tokens <= 0)
        return spec.train.steps;
    const std::int64_t perStep = std::int64_t(spec.train.batch) * spec.train.accumulate * spec.model.context;
    return spec.train.tokens / perStep + (spec.train.tokens % perStep != 0);
}

double learningRate(const TrainSpec& train, std::int64_t totalSteps, std::int64_t step)
{
    const double done = double(step - 1) / double(std::max<std::int64_t>(totalSteps, 1));
    const double warmup = train.warmup < 1 ? train.warmup * double(totalSteps) : train.warmup;
    const double rise = warmup > 0 ? std::min(1.0, double(step) / warmup) : 1.0;
    double shape = 1;
    if (train.schedule == "cosine")
        shape = train.minLrShare + (1 - train.minLrShare) / 2 * (1 + std::cos(std::numbers::pi * done));
    else if (train.schedule == "linear")
        shape = 1 - (1 - train.minLrShare) * done;
    return train.lr * rise * shape;
}

}  // namespace holo::config
