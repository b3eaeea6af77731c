#include "kernels/activation/activation_rows_simd.h"

namespace holo::kernels {

void activationForwardAvx512(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end)
{
    activationForwardRows<16>(params, y, begin, end);
}

void activationBackwardAvx512(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums)
{
    activationBackwardRows<16>(params, gradients, begin, end, sums);
}

}  // namespace holo::kernels
