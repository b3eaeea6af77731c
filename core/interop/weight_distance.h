#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace holo::interop {

// How far one tensor lies from the tensor of the same name in another checkpoint. All sums in float64.
struct WeightDistance {
    std::string name;
    std::vector<std::int64_t> shape;  // of A, or of B where A lacks it
    double normA = 0;                 // ‖A‖₂
    double normB = 0;
    double distance = 0;              // ‖A − B‖₂
    double relative = 0;              // ‖A − B‖ / ‖A‖; NaN where ‖A‖ is 0
    double cosine = 0;                // ⟨A, B⟩ / (‖A‖‖B‖); NaN where a norm is 0
    double greatest = 0;              // max |A − B|
    std::string note;                 // why there are no numbers: missing in one, another shape, a type without values
};

struct WeightDistances {
    std::vector<WeightDistance> tensors;  // by name; numbers are NaN where `note` says why
    double relative = 0;                  // over all compared elements together
    double cosine = 0;
    std::int64_t compared = 0;            // tensors
};

// `a` and `b` are safetensors files, indices, or folders with either. Reads both once, in pieces of a few MB, so memory stays small;
// `goOn` is asked between pieces and ends the work early when it says no. Throws Error as TensorSet::open does.
WeightDistances weightDistances(const std::filesystem::path& a, const std::filesystem::path& b, const std::function<bool()>& goOn = {});

}  // namespace holo::interop
