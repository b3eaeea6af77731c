#include "kernels/rotary/rotary_rows_simd.h"

namespace holo::kernels {

void rotateRowsAvx512(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    rotateRows<16>(plan, begin, end);
}

}  // namespace holo::kernels
