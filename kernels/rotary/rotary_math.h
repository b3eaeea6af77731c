#pragma once

#include "kernels/common/host_device.h"

namespace holo::kernels {

// The rotation of one plane, the only place where it is written: (x0, x1) → (x0·C − x1·S, x1·C + x0·S). Backward passes −S.
// Four roundings of products and sums and no fused multiply-add, so that every path gives the same bits; the compiler flags
// forbid contraction on both sides. Works on scalars and on vectors of planes.
template <typename Value>
HOLO_HD void rotatePair(Value& x0, Value& x1, Value c, Value s)
{
    const Value y0 = x0 * c - x1 * s;
    const Value y1 = x1 * c + x0 * s;
    x0 = y0;
    x1 = y1;
}

}  // namespace holo::kernels
