#include "kernels/attention/attention_backward_simd.h"

namespace holo::kernels {

void attentionForwardAvx512(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionForwardOf<16, 2>(work, task, scratch);
}

void attentionBackwardAvx512(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionBackwardOf<16, 2>(work, task, scratch);
}

}  // namespace holo::kernels
