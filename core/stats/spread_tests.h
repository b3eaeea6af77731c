#pragma once

#include <span>

#include "core/model/statistics.h"
#include "core/stats/sample.h"

namespace holo::stats {

enum class Centre { Median, Mean };

// Tests of equal spread over k arms. Every p is the upper tail; arms with fewer than three finite values, no deviation anywhere,
// or a within-arm spread of the deviations of zero give no p, and the note says why.

// W = (N−k)/(k−1) · Σ n_j (z̄_j − z̄)² / ΣΣ (z_ij − z̄_j)², z = |x − centre|, F(k−1, N−k).
// Mean: "Levene (mean)" (Levene 1960). Median: "Brown-Forsythe (median)" (Brown and Forsythe 1974).
TestResult levene(std::span<const Sample> samples, Centre centre);

// Cuts ⌊share·n⌋ values at both ends of every arm first, then Levene about the mean of what is left.
TestResult leveneTrimmed(std::span<const Sample> samples, double share = 0.05);

// Normal scores Φ⁻¹(½ + R/(2(N+1))) of the ranks of |x − centre|, χ²(k−1) (Fligner and Killeen 1976; Conover et al. 1981).
TestResult flignerKilleen(std::span<const Sample> samples, Centre centre = Centre::Median);

// χ²(k−1); assumes normal scores (Bartlett 1937). Needs a spread in every arm.
TestResult bartlett(std::span<const Sample> samples);

// s₁²/s₂² of the two arms as given, F(n₁−1, n₂−1); one-sided is the upper tail. Not robust.
TestResult fRatioOneSided(const Sample& a, const Sample& b);
// Larger variance over the smaller, p = twice the upper tail: the same whichever arm comes first.
TestResult fRatioTwoSided(const Sample& a, const Sample& b);

}  // namespace holo::stats
