#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

// Spectra of scores against distance, s(Δ), on plain arrays (analysis of arXiv 2412.17739, section 3).
namespace holo::ladder {

// (1/n) Σ_k s_k e^{−iω x_k}: a sinusoid a·cos(ωx) over many whole periods gives a/2. Non-uniform positions are fine.
std::complex<double> amplitude(std::span<const double> values, std::span<const double> positions, double omega);

struct Spectrum {
    std::vector<double> omegas;  // rad/token
    std::vector<double> power;   // |amplitude|²
};
// `count` frequencies evenly over [low, high].
Spectrum denseSpectrum(std::span<const double> values, std::span<const double> positions, double low, double high, int count);

// Share of the power of a dense spectrum that lies farther than `halfWidth` from every one of `thetas`: the energy off the planes' own
// frequencies. 2π/L is the width of the main lobe of a window of L tokens. 0 if there is no power.
double leakage(const Spectrum& spectrum, std::span<const double> thetas, double halfWidth);

// |Σ_{n<L} e^{i(θ−ω)n}|/L = |sin(L(θ−ω)/2) / (L sin((θ−ω)/2))|: what a plane with frequency θ, seen through L tokens, shows at ω.
// Zero at the other harmonics of L where the plane makes whole turns; elsewhere the cut leaks.
double truncationResponse(double theta, double omega, std::int64_t length);

}  // namespace holo::ladder
