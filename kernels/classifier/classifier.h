#pragma once

#include "kernels/common/dtype.h"
#include "kernels/common/isa.h"
#include "kernels/common/parallel_for.h"

#include <cstdint>
#include <optional>

namespace holo::kernels {

// Negative log-likelihood of rows of logits, and its gradient written over them:
//   loss = Σ over scored rows of log Σ_j e^(x_j) − x_target,    x_j ← e^(x_j) / Σ e^x − [j = target], rows that are not scored ← 0
struct ClassifierParams {
    std::int64_t rows = 0;
    std::int64_t vocabulary = 0;
    Dtype dtype = Dtype::Float32;           // of logits: float32 or bfloat16
    void* logits = nullptr;                 // dense [rows, vocabulary]
    const std::int64_t* targets = nullptr;  // [rows]; negative: not scored
    bool gradient = false;                  // false: logits stay as they are
};

// The sum of losses, added up row by row in double. Throws std::invalid_argument naming what does not fit (a target outside the vocabulary
// among it). `path` forces an instruction set. Bits do not depend on the cut.
double classifierLoss(const ClassifierParams& params, const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});

}  // namespace holo::kernels
