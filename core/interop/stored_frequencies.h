#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/interop/tensor_set.h"

namespace holo::interop {

// A rotary frequency buffer (…rotary_emb.inv_freq) in a file that is not the ladder its config describes.
struct FrequencyConflict {
    std::string tensor;
    std::string found;     // "plane 3: 0.001", or the shape where that differs
    std::string expected;
};

// Names of such buffers in the set.
std::vector<std::string> frequencyTensors(const TensorSet& tensors);

// Compares a buffer with the frequencies (rad/token) of the config's ladder: equal within 1e−6 of their value, or within the rounding of the
// type in which it is stored. Nothing if it agrees. Throws Error (unsupported) for a type that is no float.
std::optional<FrequencyConflict> compareFrequencies(const TensorSet& tensors, const std::string& name, const std::vector<double>& thetas);

// Throws Error (unsupported) with both values of the first plane that differs in any buffer.
void refuseOtherFrequencies(const TensorSet& tensors, const std::vector<double>& thetas);

}  // namespace holo::interop
