#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ladder/parameters.h"
#include "core/ladder/plan.h"

// Fourier position embedding (FoPE, arXiv 2412.17739), tables as in the released code:
//   C[n][p] = Σ_D cos(n ω_D)·A^cos[D][p],  S likewise,  p < P;  planes P … M−1 constant (pad).
namespace holo::ladder {

// What every head of a scheme shares.
struct FourierDesign {
    std::vector<double> kept;  // ω_D >= 2π/N, fastest first
    int planes = 0;            // P
    int step = 1;              // of the released step identity, ceil(D/P)
    Matrix identity;           // [D][P], the dominant entries of this context alone
    Matrix dominant;           // [D][P], the same with those of the contexts before in their place
    int emptyColumns = 0;      // planes without a dominant frequency
    double gain = 0;
    double entryStd = 0;
    bool random = true;        // false: clipped frequencies alone, or own coefficients
    bool normColumns = false;
    double padCos = 1;
    double padSin = 1;
    Matrix ownCos, ownSin;     // empty: drawn
    std::int64_t context = 0;  // N
    bool expands = false;      // coefficients of `before` lie in the top left block
    std::vector<FourierDesign> before;  // designs of the shorter contexts that came before, rising
};

// Throws Error (usage): no frequency kept, gain and std both given, own coefficients of the wrong shape, odd fourier_dim, cap beyond the planes,
// contexts before an expansion that do not rise.
FourierDesign fourierDesign(const Parameters& parameters, const ModelShape& shape);

// Coefficients of one key head of one layer, from the stream (seed, "fope", layer, head, 0 cos | 1 sin), row by row. Length expansion as
// released: a larger matrix drawn anew (stream keyed by its context too), the old one in its top left block.
FourierSeries fourierSeries(const FourierDesign& design, std::uint64_t seed, int layer, int kvHead);

// The frequency with the (first) dominant entry of each plane; 0 for pads and for planes without one.
std::vector<double> dominantThetas(const FourierDesign& design, int planes);

}  // namespace holo::ladder
