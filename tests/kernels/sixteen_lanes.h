#pragma once

#include "kernels/attention/attention_work.h"
#include "kernels/rotary/rotary_rows.h"

namespace holo::kernels::test {

// The sources of the widest instruction set, compiled for one with eight lanes.
void rotateRowsSixteen(const RowPlan& plan, std::int64_t begin, std::int64_t end);
void attentionForwardSixteen(const AttentionWork& work, std::int64_t task, float* scratch);
void attentionBackwardSixteen(const AttentionWork& work, std::int64_t task, float* scratch);

}  // namespace holo::kernels::test
