#include "tests/kernels/sixteen_lanes.h"

#include "kernels/attention/attention_backward_simd.h"
#include "kernels/rotary/rotary_rows_simd.h"

namespace holo::kernels::test {

void rotateRowsSixteen(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    rotateRows<16>(plan, begin, end);
}

void attentionForwardSixteen(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionForwardOf<16, 2>(work, task, scratch);
}

void attentionBackwardSixteen(const AttentionWork& work, std::int64_t task, float* scratch)
{
    attentionBackwardOf<16, 2>(work, task, scratch);
}

}  // namespace holo::kernels::test
