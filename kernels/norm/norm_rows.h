#pragma once

#include "kernels/norm/norm.h"

namespace holo::kernels {

// Columns of partial sums that a chunk of rows leaves behind: dweight and dbias of both outputs, then Σ dx.
constexpr std::int64_t kNormSums = 5;

// Rows begin … end−1; one function per instruction set.
void normForwardPlain(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end);
void normForwardAvx2(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end);
void normForwardAvx512(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end);

// The same for one chunk; `sums` [kNormSums][width] begins as zeros.
void normBackwardPlain(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums);
void normBackwardAvx2(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums);
void normBackwardAvx512(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums);

}  // namespace holo::kernels
