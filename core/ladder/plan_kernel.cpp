#include "core/ladder/plan_kernel.h"

#include "core/ladder/kernel.h"

namespace holo::ladder {

std::vector<double> meanOverHeads(const Plan& plan, const std::vector<std::vector<double>>& ladderCurves, int layer)
{
    std::vector<double> mean(ladderCurves.empty() ? 0 : ladderCurves.front().size(), 0.0);
    double heads = 0;
    for (std::size_t l = 0; l < plan.heads.size(); ++l) {
        if (layer >= 0 && int(l) != layer)
            continue;
        for (const HeadAssignment& head : plan.heads[l]) {
            for (std::size_t i = 0; i < mean.size(); ++i)
                mean[i] += ladderCurves[std::size_t(head.ladder)][i];
            ++heads;
        }
    }
    for (double& value : mean)
        value /= heads > 0 ? heads : 1;
    return mean;
}

PlanKernel planKernel(const Plan& plan, std::span<const std::int64_t> deltas, std::int64_t length)
{
    PlanKernel kernel;
    kernel.deltas.assign(deltas.begin(), deltas.end());
    for (const Ladder& ladder : plan.ladders)
        kernel.ladders.push_back(meanCosine(ladder, deltas, length));
    for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
        kernel.layers.push_back(meanOverHeads(plan, kernel.ladders, int(layer)));
    kernel.mean = meanOverHeads(plan, kernel.ladders);
    return kernel;
}

}  // namespace holo::ladder
