#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/spectrum.h"

// What a linear layer and an activation do to the frequencies of two planes, and what an encoding makes of it (after arXiv 2412.17739, section 3
// and Fig. 3). The hidden state of token n holds e^{iω_0 n} and e^{iω_1 n} in its planes; y_n = activation(W h_n) with W = I + mix·G, G's entries
// N(0, ¼); queries and keys are y itself. The frequency-matched score moves every component by the frequency that it has:
//   matched(Δ) = Σ_j mean_n Re y_j[n+Δ] conj y_j[n] = Σ_j Σ_ω |b_jω|² cos ωΔ.
// An encoding takes plane j, of power P_j, for one with frequencies of its own:
//   rope(Δ) = Σ_j P_j cos ω_jΔ,   fope(Δ) = Σ_j P_j Re⟨f_j[n+Δ] conj f_j[n]⟩ / ⟨|f_j|²⟩ with drawn coefficients,
//   series(Δ) = Σ_j Σ_ω |b_jω|² cos ωΔ over ω = 0 and ± both frequencies, scaled to P_j: what a series over these can hold, harmonics apart.
namespace holo::ladder {

struct ToySettings {
    std::array<double, 2> omegas{1.0, 0.1};  // rad/token
    std::int64_t length = 512;               // tokens; scores for Δ up to half of it
    std::string activation = "relu";         // none | relu | gelu | silu | tanh
    double mix = 1;
    double gain = 0.3;                       // FoPE's Xavier gain
    std::uint64_t seed = 0;
};

struct ToyPlane {
    double power = 0;      // mean |y_j|²
    double own = 0;        // share of it at ω_j
    double other = 0;      // at −ω_j and ±ω of the other plane: what a linear layer can bring
    double still = 0;      // at 0
    double elsewhere = 0;  // the rest: harmonics and mixtures, what only an activation can bring
    Spectrum spectrum;     // over [−π, π]
};

struct ToyCurve {
    std::string name;           // rope, fope, series
    std::vector<double> score;  // [Δ]
    double error = 0;           // RMS of score − matched over that of matched
    double correlation = 0;     // Pearson's with matched over Δ; 0 where one of both is constant
};

struct TwoPlaneToy {
    std::vector<double> matched;  // [Δ]
    std::vector<ToyCurve> curves;
    std::array<ToyPlane, 2> planes;
};

// The shares of a plane's lines are least-squares amplitudes over the window, so that lines of a short window do not leak into each other.
// Throws Error (usage) for an unknown activation, frequencies that are not two different ones in (0, π), a length below 16.
TwoPlaneToy twoPlaneToy(const ToySettings& settings);

}  // namespace holo::ladder
