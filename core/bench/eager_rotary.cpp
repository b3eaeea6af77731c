#include "core/bench/eager_rotary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

namespace holo::bench {

at::Tensor eagerRotary(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin)
{
    const std::int64_t rotated = cos.size(1);
    const std::int64_t rest = x.size(3) - rotated;
    const at::Tensor lanes = rest == 0 ? x : x.narrow(3, 0, rotated);
    const at::Tensor half = at::cat({-lanes.narrow(3, rotated / 2, rotated / 2), lanes.narrow(3, 0, rotated / 2)}, 3);
    const at::Tensor turned = lanes * cos + half * sin;
    return rest == 0 ? turned : at::cat({turned, x.narrow(3, rotated, rest)}, 3);
}

at::Tensor doubled(const at::Tensor& table) { return at::cat({table, table}, 1); }

}  // namespace holo::bench
