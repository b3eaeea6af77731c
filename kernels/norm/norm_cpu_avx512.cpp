#include "kernels/norm/norm_rows_simd.h"

namespace holo::kernels {

void normForwardAvx512(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end)
{
    normForwardRows<16>(params, forward, begin, end);
}

void normBackwardAvx512(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums)
{
    normBackwardRows<16>(params, backward, begin, end, sums);
}

}  // namespace holo::kernels
