#pragma once

#include <memory>

#include "core/config/specs.h"

namespace holo::bench {

// The matrix products of a model's projections and head, alone: what any implementation of the step has to do at least. Attention's own
// products are left out.
class MatrixProducts {
public:
    // `rows` = batch · tokens; `headRows` of them reach the head.
    MatrixProducts(const config::ModelSpec& model, std::int64_t rows, std::int64_t headRows, bool bf16);
    ~MatrixProducts();

    void forward();
    void forwardAndBackward();  // also the gradients of inputs and weights

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

}  // namespace holo::bench
