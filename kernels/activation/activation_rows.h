#pragma once

#include "kernels/activation/activation.h"

namespace holo::kernels {

// Columns of partial sums that a chunk of rows leaves behind: Σ dup, then Σ dgate.
constexpr std::int64_t kActivationSums = 2;

// Rows begin … end−1; one function per instruction set.
void activationForwardPlain(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end);
void activationForwardAvx2(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end);
void activationForwardAvx512(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end);

// The same for one chunk; `sums` [kActivationSums][width] begins as zeros.
void activationBackwardPlain(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums);
void activationBackwardAvx2(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums);
void activationBackwardAvx512(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums);

}  // namespace holo::kernels
