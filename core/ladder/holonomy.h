#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/ladder/plan.h"

// What is left of each rotation plane after one trip round the training context N.
namespace holo::ladder {

enum class Boundary {
    AntiPeriodic,  // every plane comes back negated: R(N) = −I
    Periodic,      // every plane comes back as it was: R(N) = +I
    Coherent,      // every plane comes back with one and the same other phase
    Mixed,
};

struct Holonomy {
    std::vector<std::complex<double>> planes;  // e^{iNθ_j}; exactly ±1 for exact turns
    double absMean = 0;                        // |mean e^{iNθ_j}|; 1: one common phase
    Boundary boundary = Boundary::Mixed;
};

// N = the ladder's context unless given. Planes of a FoPE ladder are its dominant frequencies.
Holonomy holonomy(const Ladder& ladder, std::int64_t context = 0);
std::string_view boundaryName(Boundary boundary);  // "anti-periodic", …

// λ_j = 2π/θ_j in tokens, infinite for a plane that does not turn.
std::vector<double> periods(const std::vector<double>& thetas);

// Planes that turn, but less than once in N tokens (λ_j > N): later positions show them phases that training never did (arXiv 2412.17739).
std::vector<int> undertrainedPlanes(const std::vector<double>& thetas, std::int64_t context);

// Planes by turns in N tokens, in octaves: bin k holds 2^{first+k} <= r < 2^{first+k+1}; planes that do not turn are counted apart.
struct TurnHistogram {
    int firstOctave = 0;
    std::vector<int> counts;
    int still = 0;
};
TurnHistogram turnHistogram(const std::vector<double>& thetas, std::int64_t context);

}  // namespace holo::ladder
