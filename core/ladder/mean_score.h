#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ladder/plan.h"

// Average score ⟨R[m]q, R[n]k⟩ (before 1/√d) over independent q, k with entries N(μ,1) on the rotated lanes, against Δ = m−n
// (time-domain analysis of arXiv 2412.17739, Fig. 8). Ladders that are a function of Δ; table scale left out.
namespace holo::ladder {

// E = μ²·2·Σ_j cos θ_jΔ: the decay with distance vanishes at μ = 0.
std::vector<double> expectedScore(const Ladder& ladder, std::span<const std::int64_t> deltas, double mu);

// The same by Monte Carlo from the stream (seed, "mean-score", sample).
std::vector<double> sampledScore(const Ladder& ladder, std::span<const std::int64_t> deltas, double mu, int samples, std::uint64_t seed);

}  // namespace holo::ladder
