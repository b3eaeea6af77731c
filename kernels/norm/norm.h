#pragma once

#include "kernels/common/dtype.h"
#include "kernels/common/isa.h"
#include "kernels/common/parallel_for.h"

#include <cstdint>
#include <optional>
#include <string>

namespace holo::kernels {

// Sum of a residual stream with up to two branches, and up to two normalisations of the sum, in one pass over the rows:
//   s = x + (a + biasA) + (b + biasB)
//   y_i = (s − mean) / √(var + eps) · weight_i + bias_i      LayerNorm (Ba, Kiros and Hinton, arXiv 1607.06450)
//   y_i = s / √(mean of s² + eps) · weight_i                 RMSNorm (Zhang and Sennrich, arXiv 1910.07467)
// Two outputs serve a parallel block, whose attention and MLP normalise the same rows with weights of their own. All dense and row-major.
struct NormParams {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    bool rms = false;
    float eps = 0;
    Dtype dtype = Dtype::Float32;  // of branches and outputs: float32 or bfloat16; everything else is float32
    std::int32_t outputs = 1;      // 1 or 2
    const float* weight[2] = {};   // [width]; null: 1
    const float* bias[2] = {};     // [width]; null: 0
};

struct NormForward {
    const float* x = nullptr;
    const void* a = nullptr;       // null: no branch
    const void* b = nullptr;
    const float* biasA = nullptr;  // [width]; null: 0
    const float* biasB = nullptr;
    float* sum = nullptr;          // null where there is no branch: the sum is x
    float* mean = nullptr;         // [rows]; untouched for RMSNorm
    float* scale = nullptr;        // [rows] 1/√(…)
    void* y[2] = {};
};

// Gradients of the sum (which are those of x, a and b alike), of weights and of biases, the latter as sums over rows.
struct NormBackward {
    const float* sum = nullptr;    // as forward saw it
    const float* mean = nullptr;
    const float* scale = nullptr;
    const float* dsum = nullptr;   // gradient that reaches the sum by itself; null: none
    const void* dy[2] = {};
    float* dx = nullptr;
    void* dbranch = nullptr;       // dx again in the branches' dtype; null: not wanted
    float* dweight[2] = {};        // [width]; null: not wanted
    float* dbias[2] = {};          // [width]; null: not wanted
    float* dbranchBias = nullptr;  // [width] Σ dx, the gradient of biasA and of biasB; null: not wanted
};

// Throw std::invalid_argument naming what does not fit. `path` forces an instruction set. Bits do not depend on the cut.
void normForward(const NormParams& params, const NormForward& forward, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});
void normBackward(const NormParams& params, const NormBackward& backward, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});

}  // namespace holo::kernels
