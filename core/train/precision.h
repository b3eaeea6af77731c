#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "core/nn/transformer.h"

namespace holo::train {

struct PrecisionProbe {
    double fp32Seconds = 0;
    double bf16Seconds = 0;
    std::string chosen;  // "fp32" or "bf16"
};

// Times forward and backward of the model on a part of a batch in both precisions (after a warm-up, best of two) and takes the faster one.
// Weights stay as they are; gradients are spoilt.
PrecisionProbe probePrecision(nn::Transformer& model, const at::Tensor& tokens, const at::Tensor& targets);

at::ScalarType computeType(const std::string& precision);  // of "fp32" or "bf16"

}  // namespace holo::train
