#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ladder/plan.h"

// Frequencies θ in rad/token, one a plane, in float64. `planes` = M, `context` = N.
namespace holo::ladder {

// θ_j = base^(−2j/width) (RoFormer, arXiv 2104.09864).
std::vector<double> geometricThetas(double base, int width, int planes);

// Numerators a_i of rational turns, θ_i = π a_i/N (arXiv 2607.21405 and its controls).
std::vector<std::int64_t> mobiusNumerators(int planes);                  // 2i+1: anti-periodic, R(N) = −I
std::vector<std::int64_t> periodicNumerators(int planes, bool withDc);   // A: 2(i+1); B (with DC): 2i
// Standard frequencies moved to half-integer (floor(r)+½) or whole (round(r)) turns r in N tokens.
std::vector<std::int64_t> snappedNumerators(const std::vector<double>& thetas, std::int64_t context, bool half);

// (2πi + φ)/N. Exact turns where φ is π·a/b within rounding, b <= 64; their modulus is b·N.
std::vector<double> twistedThetas(int planes, std::int64_t context, double phi);
std::optional<ExactTurns> twistedTurns(int planes, std::int64_t context, double phi);

// Aperiodic ladders in the band of the Möbius ladder.
std::vector<double> bandGeometricThetas(int planes, std::int64_t context);  // C1: (π/N)(2M−1)^{i/(M−1)}
std::vector<double> bandJitter(int planes);                                 // u_i of C2: 2 frac((i+1)²√2) − 1, ends turned inwards
std::vector<double> bandJitteredThetas(int planes, std::int64_t context);   // C2: π(2i+1+u_i)/N

std::vector<double> turnThetas(const ExactTurns& turns);                    // π a_i/N
// The turns of which `thetas` are the float64 image, if every one of them is π a/N within rounding: frequencies that were read from a
// file keep the exact tables of the ladder they came from. Nothing for a ladder that does not turn at all.
std::optional<ExactTurns> rationalTurns(const std::vector<double>& thetas, std::int64_t context);

// Standard frequencies with the lowest dropped: θ_j for j < int(p·M), else 0 (arXiv 2410.06205).
std::vector<double> partialThetas(const std::vector<double>& thetas, double share);
// Last `count` planes × ½(1+cos(πt/(count−1))), or zero if hard (arXiv 2602.05258).
std::vector<double> clippedThetas(const std::vector<double>& thetas, int count, bool hard);
// Wavelengths rounded to whole tokens (arXiv 2403.00071).
std::vector<double> resonanceThetas(const std::vector<double>& thetas);

// r_j = Nθ_j/2π, turns in N tokens.
std::vector<double> turns(const std::vector<double>& thetas, std::int64_t context);

}  // namespace holo::ladder
