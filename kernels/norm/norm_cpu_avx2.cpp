#include "kernels/norm/norm_rows_simd.h"

namespace holo::kernels {

void normForwardAvx2(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end)
{
    normForwardRows<8>(params, forward, begin, end);
}

void normBackwardAvx2(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums)
{
    normBackwardRows<8>(params, backward, begin, end, sums);
}

}  // namespace holo::kernels
