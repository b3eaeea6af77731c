#include "core/ops/kernel_bridge.h"

#include <ATen/Parallel.h>

#include "core/base/error.h"

namespace holo::ops {

kernels::Dtype kernelDtype(at::ScalarType type)
{
    switch (type) {
    case at::kFloat: return kernels::Dtype::Float32;
    case at::kBFloat16: return kernels::Dtype::BFloat16;
    case at::kHalf: return kernels::Dtype::Float16;
    case at::kDouble: return kernels::Dtype::Float64;
    default: throw Error(ErrorKind::Unsupported, std::string("tensors of type ") + c10::toString(type) + " have no kernel; allowed: Float, Double, BFloat16, Half.");
    }
}

kernels::LadderTables ladderTables(const at::Tensor& cos, const at::Tensor& sin)
{
    kernels::LadderTables tables;
    tables.cosines = cos.const_data_ptr<float>();
    tables.sines = sin.const_data_ptr<float>();
    tables.ladders = static_cast<std::int32_t>(cos.size(0));
    tables.positions = cos.size(1);
    tables.planes = static_cast<std::int32_t>(cos.size(2));
    return tables;
}

const kernels::ParallelFor& parallelFor()
{
    static const kernels::ParallelFor run = [](std::int64_t count, std::int64_t grain, const kernels::ParallelBody& body) {
        at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) { body(begin, end); });
    };
    return run;
}

}  // namespace holo::ops
