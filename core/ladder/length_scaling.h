#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Ladders changed for contexts longer than the trained one. θ in rad/token; d = rotated width, M = planes, s = factor, N = original context.
namespace holo::ladder {

// base·s^{d/(d−2)}: the highest frequency stays, the lowest is divided by s exactly (NTK-aware). d >= 4.
double ntkBase(double base, int width, double factor);

// base·(αL/N − (α−1))^{d/(d−2)} for L > N, else base; α = factor, as in transformers. A function of (ladder, L) alone.
double dynamicNtkBase(double base, int width, double factor, std::int64_t original, std::int64_t length);
std::vector<double> dynamicNtkThetas(double base, int width, int planes, double factor, std::int64_t original, std::int64_t length);

// Plane index (a real number) that makes `rotations` turns in N tokens: d·ln(N/(2π·rotations)) / (2 ln base).
double planeOfRotations(double rotations, int width, double base, std::int64_t original);

// YaRN (arXiv 2309.00071). θ' = θ(1−ρ) + (θ/s)ρ.
struct YarnRamp {
    double low = 0;
    double high = 0;
};
// Ends of the index ramp of the released code; `truncate` rounds them outwards. low == high is widened by .001.
YarnRamp yarnIndexRamp(double betaFast, double betaSlow, int width, double base, std::int64_t original, bool truncate);
std::vector<double> yarnIndexThetas(const std::vector<double>& thetas, double factor, YarnRamp ramp);
// Ramp in turns, the paper's definition: γ(r) = clamp((r−slow)/(fast−slow)), θ' = (1−γ)θ/s + γθ. Fits any ladder.
std::vector<double> yarnTurnThetas(const std::vector<double>& thetas, double factor, double betaFast, double betaSlow, std::int64_t original);

// .1·m·ln s + 1 for s > 1, else 1: factor on cos and sin.
double yarnAttentionFactor(double factor, double mscale = 1);

// √(1 + ln s/ln N) for s > 1, else 1 (LongRoPE).
double longRopeAttentionFactor(double factor, std::int64_t original);

// Llama-3: λ < N/high keeps θ, λ > N/low takes θ/s, between them linear in N/λ.
std::vector<double> llama3Thetas(const std::vector<double>& thetas, double factor, double low, double high, std::int64_t original);

// MrRoPE (arXiv 2601.22181): d_l = last plane with more than 32 turns, d_h = first with less than one, n = d_h − d_l, t = clamp(j−d_l, 0, n).
// uni: θ·s^{−t/n}; pro: θ·s^{−t(t+1)/(n(n+1))}. Nothing if either set of planes is empty.
std::optional<std::vector<double>> mrRopeThetas(const std::vector<double>& thetas, double factor, bool progressive, std::int64_t original);

}  // namespace holo::ladder
