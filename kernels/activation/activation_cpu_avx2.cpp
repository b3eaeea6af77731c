#include "kernels/activation/activation_rows_simd.h"

namespace holo::kernels {

void activationForwardAvx2(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end)
{
    activationForwardRows<8>(params, y, begin, end);
}

void activationBackwardAvx2(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums)
{
    activationBackwardRows<8>(params, gradients, begin, end, sums);
}

}  // namespace holo::kernels
