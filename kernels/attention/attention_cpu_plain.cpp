#include "kernels/attention/attention_backward_simd.h"

namespace holo::kernels {

void attentionForwardPlain(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionForwardOf<4, 2>(work, task, scratch);
}

void attentionBackwardPlain(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionBackwardOf<4, 2>(work, task, scratch);
}

}  // namespace holo::kernels
