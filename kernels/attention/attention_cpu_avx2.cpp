#include "kernels/attention/attention_backward_simd.h"

namespace holo::kernels {

void attentionForwardAvx2(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionForwardOf<8, 2>(work, task, scratch);
}

void attentionBackwardAvx2(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionBackwardOf<8, 2>(work, task, scratch);
}

}  // namespace holo::kernels
