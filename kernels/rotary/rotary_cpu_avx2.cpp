#include "kernels/rotary/rotary_rows_simd.h"

namespace holo::kernels {

void rotateRowsAvx2(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    rotateRows<8>(plan, begin, end);
}

}  // namespace holo::kernels
