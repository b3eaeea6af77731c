#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

// What is measured on the heads of a trained model, as plain numbers to be drawn or written.
namespace holo::model {

// Mean of q and k over tokens, before the rotation (arXiv 2412.17739, Fig. 7).
struct LaneMeans {
    int layer = 0;
    int head = -1;               // −1: signed means averaged over the heads of the layer, where signs can cancel
    std::vector<double> query;   // [lane] |mean|
    std::vector<double> key;
    double undertrainedRatio = 0;  // mean |μ| of lanes whose plane turns less than once in the training context over that of the other
                                   // rotated lanes, each head's own means; NaN without both kinds
};
struct LaneMeanMap {
    std::int64_t tokens = 0;
    int headDim = 0;
    std::vector<LaneMeans> layers;
    std::vector<LaneMeans> heads;
};

// Scores of a head against distance, averaged over pairs of tokens, and their spectrum (NUDFT; arXiv 2412.17739, section 3). Scores are
// ⟨R[m]q, R[n]k⟩/√d before bias and temperature, over Δ = 0 … points − 1; every Δ has at least as many pairs of a window as the last one.
struct PlaneLine {
    double theta = 0;      // rad/token
    double turns = 0;      // in the training context
    double power = 0;      // mean square over Δ of what the plane adds to the score
    double atTheta = 0;    // |amplitude|² at the plane's own θ
    double leakage = 0;    // share of the plane's power off its own θ
};
struct HeadSpectrum {
    int layer = 0;
    int head = 0;
    std::string ladder;
    std::vector<double> score;   // [Δ]
    std::vector<double> omegas;  // dense grid over [0, π]
    std::vector<double> power;
    double leakage = 0;          // share of the score's power off every θ of the head
    std::vector<PlaneLine> planes;
};
struct ScoreSpectra {
    std::int64_t length = 0;
    std::int64_t windows = 0;
    std::int64_t points = 0;
    double halfWidth = 0;  // rad/token: what lies nearer than this to a θ is the θ's own, 2π/points
    std::vector<HeadSpectrum> heads;
};

// How a trained head's scores change when the query moves N tokens further: s over pairs of q and k of the validation part.
struct HeadHolonomy {
    int layer = 0;
    int head = 0;
    std::string ladder;
    std::string boundary;             // of the ladder
    double ladderMean = 0;            // |mean e^{iNθ_j}|
    std::complex<double> weighted;    // mean e^{iNθ_j} with weights √(mean |q_j|² · mean |k_j|²): the planes that the head uses
    double antiPeriodic = 0;          // √(Σ (s(Δ+N) + s(Δ))² / Σ (s(Δ+N)² + s(Δ)²)): 0 if R(N) = −1 on what the head uses, √2 if +1, 1 if unrelated
    double periodic = 0;              // the same with −: 0 if R(N) = +1
};
struct HolonomyMap {
    std::int64_t context = 0;  // N
    std::int64_t length = 0;
    std::int64_t windows = 0;
    std::vector<HeadHolonomy> heads;
};

}  // namespace holo::model
