#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/config/specs.h"

namespace holo::nn {

// What a parameter does decides how it starts.
enum class Role {
    Input,   // embedding, head, projections into a block: √(2/(5·hidden)) under init "small"
    Output,  // projections back to the residual stream: 2/(layers·√hidden) under init "small"
    One,     // gains of norms
    Zero,    // biases
    Identity,  // coefficients a, b, c, d of Möbius transformations, [heads·planes·4·2]: a = d = 1, b = c = 0
};

// Seed of a model whose weights all come from a file: nothing is drawn, which takes longer than reading; they are 0 until then.
inline constexpr std::uint64_t kFromFile = ~std::uint64_t(0);

// Fills `parameter` (fp32, contiguous, CPU) from the stream keyed by (seed, "init", name), so that a parameter's start depends on nothing
// but its name, shape and seed. Init "normal" draws N(0, initStd) truncated at three deviations by redrawing.
void initialise(const at::Tensor& parameter, const std::string& name, Role role, const config::ModelSpec& model, std::uint64_t seed);

// FNV-1a, 64 bit: the number of a name in a random stream's key.
std::uint64_t nameKey(const std::string& name);

}  // namespace holo::nn
