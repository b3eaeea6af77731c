#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ladder/plan.h"

// c(Δ) = K(Δ)/M of a whole plan: of every ladder in it, of every layer (mean over its heads), and the mean over all heads.
namespace holo::ladder {

struct PlanKernel {
    std::vector<std::int64_t> deltas;
    std::vector<std::vector<double>> ladders;  // [ladder][Δ]; the curve of head h of layer l is ladders[plan.heads[l][h].ladder]
    std::vector<std::vector<double>> layers;   // [layer][Δ]
    std::vector<double> mean;                  // [Δ]
};

// `length` chooses the tables under a length rule; 0: each ladder's context.
PlanKernel planKernel(const Plan& plan, std::span<const std::int64_t> deltas, std::int64_t length = 0);

// Mean of one curve a ladder over the heads of `plan`, or of one layer (−1: all).
std::vector<double> meanOverHeads(const Plan& plan, const std::vector<std::vector<double>>& ladderCurves, int layer = -1);

}  // namespace holo::ladder
