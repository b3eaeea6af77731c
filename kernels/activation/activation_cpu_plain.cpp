#include "kernels/activation/activation_rows_simd.h"

namespace holo::kernels {

void activationForwardPlain(const ActivationParams& params, void* y, std::int64_t begin, std::int64_t end)
{
    activationForwardRows<4>(params, y, begin, end);
}

void activationBackwardPlain(const ActivationParams& params, const ActivationGradients& gradients, std::int64_t begin, std::int64_t end, float* sums)
{
    activationBackwardRows<4>(params, gradients, begin, end, sums);
}

}  // namespace holo::kernels
