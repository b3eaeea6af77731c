#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/common/dtype.h"
#include "kernels/common/ladder_tables.h"
#include "kernels/common/parallel_for.h"

namespace holo::ops {

// What the kernels, which know no tensors, are given.
kernels::Dtype kernelDtype(at::ScalarType type);  // throws Error (unsupported)

// Tables [ladder][position][plane], fp32, dense.
kernels::LadderTables ladderTables(const at::Tensor& cos, const at::Tensor& sin);

// The process's one thread pool.
const kernels::ParallelFor& parallelFor();

}  // namespace holo::ops
