#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ladder/plan.h"

// The relative kernel of a ladder: K(Δ) = Σ_j cos θ_jΔ, c(Δ) = K/M, what q·k is at distance Δ for equal content in every plane.
// The table scale is left out, so that c(0) = 1. Where a table depends on more than Δ, c is the mean over the causal pairs of a window:
// FoPE over up to 32 key positions in 0 … N−1−Δ (there c(0) ≠ 1), a position period W over the W places of the key. xPos includes its decay.
namespace holo::ladder {

// `length` chooses the table under a length rule; 0: the ladder's context. A ladder without planes has c = 1.
double meanCosine(const Ladder& ladder, std::int64_t delta, std::int64_t length = 0);
std::vector<double> meanCosine(const Ladder& ladder, std::span<const std::int64_t> deltas, std::int64_t length = 0);

// Mean of c over the heads of a plan, or of one layer (−1: all).
std::vector<double> meanCosine(const Plan& plan, std::span<const std::int64_t> deltas, int layer = -1, std::int64_t length = 0);

// Σ cos θ_jx/M at a real distance.
double meanCosineAt(const std::vector<double>& thetas, double x);

struct KernelSummary {
    std::optional<double> firstZero;             // first real Δ > 0 with c = 0, up to 8N or 2^18 (FoPE and position periods: N or 2^13)
    std::optional<std::int64_t> firstNonPositive;  // first whole Δ with c <= 0
    std::optional<std::int64_t> halfWidth;       // first whole Δ with c < ½
    double bulkRms = 0;                          // over whole Δ in [N/4, 3N/4]; every N/32768-th of them in longer contexts
    double bulkMax = 0;                          // of |c|, same range
    double atContext = 0;                        // c(N)
};

KernelSummary kernelSummary(const Ladder& ladder, std::int64_t length = 0);

// Distances first, first+step, … , last.
std::vector<std::int64_t> distances(std::int64_t first, std::int64_t last, std::int64_t step = 1);

}  // namespace holo::ladder
