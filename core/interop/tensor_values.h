#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/interop/tensor_set.h"

namespace holo::interop {

// The elements of a small tensor of F16, BF16, F32 or F64 as doubles; throws Error (unsupported) by name for other types.
std::vector<double> readDoubles(const TensorSet::Entry& entry);

// All elements as floats: 16-bit types exactly, F64 rounded. `destination` has room for all of them. Throws as readDoubles does.
void readFloats(const SafetensorsFile& file, const TensorInfo& info, float* destination);

// SHA-256 of a tensor's bytes and, for F16, BF16, F32 and F64, how many elements are not finite (−1 for other types). Reads it once, in pieces.
struct TensorSummary {
    std::string sha256;
    std::int64_t nonfinite = -1;
};
TensorSummary summarize(const TensorSet::Entry& entry);

}  // namespace holo::interop
