#include "kernels/norm/norm_rows_simd.h"

namespace holo::kernels {

void normForwardPlain(const NormParams& params, const NormForward& forward, std::int64_t begin, std::int64_t end)
{
    normForwardRows<4>(params, forward, begin, end);
}

void normBackwardPlain(const NormParams& params, const NormBackward& backward, std::int64_t begin, std::int64_t end, float* sums)
{
    normBackwardRows<4>(params, backward, begin, end, sums);
}

}  // namespace holo::kernels
