#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ladder/scheme.h"

// A scheme resolved for one model: the ladders in use and, for each layer and head, which one applies. One score covers the field:
//   s(m,n) = τ_h(m) · ⟨R_q[m] q, R_k[n] k⟩ / √d + b_h(m,n),   b = −slope·(m−n), −∞ outside the causal window.
namespace holo::ladder {

// Rational turns: angle of position m in plane i is π·((m·numerator_i) mod 2N)/N, exact in 64-bit integers (Möbius, periodic, snapped).
// `context` here is the modulus, a multiple of the ladder's N where the phase is a fraction (twisted by π/2: 2N).
struct ExactTurns {
    std::int64_t context = 0;
    std::vector<std::int64_t> numerators;
};

// FoPE (arXiv 2412.17739): C[n][p] = Σ_D cos(n ω_D)·A^cos[D][p], S likewise; planes first … P−1, the rest padded.
struct FourierSeries {
    std::vector<double> kept;   // ω_D, rad/token
    Matrix cosCoefficients;     // [D][P]
    Matrix sinCoefficients;     // [D][P]
    double padCos = 1;
    double padSin = 1;          // 1: as released (√2·R(45°)); 0: pass-through
    int step = 1;
    double entryStd = 0;
    double gain = 0;
    double smallestColumnSum = 0;
};

// How a table depends on the final length L of the sequence it serves. A table is a function of (ladder, L) alone.
enum class LengthRule { Fixed, DynamicNtk, LongRope };

struct Ladder {
    std::string name;
    Kind kind = Kind::Standard;
    std::int64_t context = 0;
    double base = 0;
    std::vector<double> theta;  // rad/token, one a plane, at L <= context
    std::optional<ExactTurns> exact;
    std::optional<FourierSeries> fourier;
    double tableScale = 1;      // factor on cos and sin (YaRN's mscale): logits of the rotated lanes × tableScale²
    std::int64_t positionPeriod = 0;  // p(m) = m mod W, 0: none (Periodic RoPE)
    std::vector<double> damping;      // xPos ζ_j, empty: none
    double dampingScale = 512;        // tokens in which plane j falls by ζ_j
    LengthRule lengthRule = LengthRule::Fixed;
    double factor = 1;                 // of the length rule
    std::vector<double> longTheta;     // LongRoPE: θ for L > context
    std::int64_t keptPositions = 0;    // LongRoPE: first n̂ positions keep standard tables
    std::vector<double> keptTheta;
    std::string parameters;            // resolved parameters as the short form, for people and for equality
    std::string hash;                  // SHA-256 of the float64 θ (and coefficients), hexadecimal
};

enum class AttentionForm { Softmax, Landmark, MobiusQuery };

struct HeadAssignment {
    int ladder = 0;            // index into Plan::ladders
    double slope = 0;          // ALiBi, b = −slope·(m−n)
    std::int64_t window = 0;   // keys m−window+1 … m; 0: all
    double temperature = 1;    // τ on the whole logit
    AttentionForm form = AttentionForm::Softmax;
};

struct Plan {
    ModelShape shape;
    std::vector<Ladder> ladders;
    std::vector<std::vector<HeadAssignment>> heads;  // [layer][head]
    double share = 0;             // realised share of the first (special) part over all heads; 1 if uniform
    int landmarkBlock = 0;        // Landmark attention: one landmark token ends each block of this many
    bool logLengthTemperature = false;  // τ(m) = ln(a+m+1)/ln(a+1) on windowless layers (position temperature)
    double temperatureOffset = 0;       // a
    std::vector<std::string> notes;     // what was derived or rounded, one sentence each

    bool separateKeyTables() const;  // xPos: k needs its own table
    bool isUniform() const;          // every head the same assignment
};

// The parts of a hybrid; its parameters share, special and rest stand for two parts. Throws Error (usage).
std::vector<Part> hybridParts(const Scheme& scheme);

// Throws Error (usage) for out-of-range, contradictory or missing parameters, plans that break KV groups, odd widths, ….
Plan resolve(const Scheme& scheme, const ModelShape& shape);

}  // namespace holo::ladder
