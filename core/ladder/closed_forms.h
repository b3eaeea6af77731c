#pragma once

#include <cstdint>

// c(Δ) = (1/M) Σ_i cos θ_iΔ in closed form for the evenly spaced ladders (arXiv 2607.21405 and its controls); any whole Δ. With x = πΔ/N:
namespace holo::ladder {

double mobiusMeanCosine(std::int64_t delta, std::int64_t context, int planes);     // sin(2Mx) / (2M sin x)
double periodicMeanCosine(std::int64_t delta, std::int64_t context, int planes, bool withDc);  // A: ½[sin((2M+1)x)/sin x − 1]/M; B: ½[sin((2M−1)x)/sin x + 1]/M
double twistedMeanCosine(std::int64_t delta, std::int64_t context, int planes, double phi);    // sin(Mx)/(M sin x) · cos((φ+(M−1)π)Δ/N)

}  // namespace holo::ladder
