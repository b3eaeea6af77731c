#pragma once

#include <string>
#include <vector>

#include "core/interop/hf_weights.h"
#include "core/interop/tensor_set.h"

namespace holo::interop {

// Puts tensors together as a plan says, row by row, widened to fp32 (F64 is rounded). Keeps the last source that it read, so that the
// parts of one fused matrix cost one pass over the file.
class GatherReader {
public:
    explicit GatherReader(const TensorSet& tensors)
        : m_tensors(tensors)
    {
    }

    // Fills `destination` with the tensor of gather.shape, row-major. Throws Error: (malformed) where the file changed meanwhile, (numeric)
    // naming the tensor if an element is not finite.
    void read(const RowGather& gather, float* destination);

private:
    const std::vector<float>& source(const std::string& name);

    const TensorSet& m_tensors;
    std::string m_name;
    std::vector<float> m_values;
};

}  // namespace holo::interop
