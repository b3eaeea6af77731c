#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace holo::ops {

// A sublayer's output on its way into the residual stream: value [rows, width] and a bias [width] that is still to be added (undefined: none).
struct Branch {
    at::Tensor value, bias;
};

// Undefined weight: 1; undefined bias: 0.
struct NormWeights {
    at::Tensor weight, bias;
};

struct NormKind {
    bool rms = false;
    double eps = 0;
    at::ScalarType output = at::kFloat;  // kFloat or kBFloat16
};

struct ResidualNorm {
    at::Tensor sum;                   // fp32 [rows, width]; x itself where there are no branches
    std::vector<at::Tensor> normals;  // one for each of `norms`
};

// sum = x + Σ (value + bias), normals_i = LayerNorm or RMSNorm of the sum: one pass over the rows on the CPU, and one on the way back, for up to
// two branches and two norms. x fp32 [rows, width]. With autograd.
ResidualNorm residualNorm(const at::Tensor& x, const std::vector<Branch>& branches, const std::vector<NormWeights>& norms, const NormKind& kind);

}  // namespace holo::ops
