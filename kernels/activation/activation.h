#pragma once

#include "kernels/common/dtype.h"
#include "kernels/common/isa.h"
#include "kernels/common/parallel_for.h"

#include <cstdint>
#include <optional>

namespace holo::kernels {

// What stands between the two products of an MLP, with the bias of the first:
//   Gelu     y = u·Φ(u),               u = up + upBias      Hendrycks and Gimpel, arXiv 1606.08415, exact (erf) form
//   SwiGlu   y = g·σ(g)·u,             g = gate + gateBias  Shazeer, arXiv 2002.05202
// up, gate and y are dense [rows, width], biases [width] fp32. Φ comes from a polynomial in 1/(1 + 0.3·|u|/√2) times e^(−u²/2), the form of
// Abramowitz and Stegun 7.1.26, fitted to 2e−8, so that the tail keeps its relative accuracy.
enum class Activation : std::int32_t { Gelu, SwiGlu };

struct ActivationParams {
    Activation kind = Activation::Gelu;
    std::int64_t rows = 0;
    std::int64_t width = 0;
    Dtype dtype = Dtype::Float32;     // float32 or bfloat16
    const void* up = nullptr;
    const void* gate = nullptr;       // SwiGlu
    const float* upBias = nullptr;    // null: 0
    const float* gateBias = nullptr;
};

struct ActivationGradients {
    const void* dy = nullptr;
    void* dup = nullptr;              // may be dy itself
    void* dgate = nullptr;            // SwiGlu
    float* dupBias = nullptr;         // [width] sums over rows; null: not wanted
    float* dgateBias = nullptr;
};

// Throw std::invalid_argument naming what does not fit. `path` forces an instruction set. Bits do not depend on the cut.
void activationForward(const ActivationParams& params, void* y, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});
void activationBackward(
    const ActivationParams& params, const ActivationGradients& gradients, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});

}  // namespace holo::kernels
