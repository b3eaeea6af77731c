#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interop/safetensors.h"

namespace holo::interop {

struct SafetensorsHeader {
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<TensorInfo> tensors;  // by rising begin
    std::vector<std::string> notes;
};

// Reads the JSON header and checks it against the number of data bytes that follow it. Builds no document tree, so that memory stays
// in proportion to the header. Throws Error (malformed) that names `source`, tensor and field.
SafetensorsHeader parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes, const std::string& source);

}  // namespace holo::interop
