#pragma once

#include <cstdint>
#include <string_view>

namespace holo::interop {

// CRC-32C (Castagnoli), and the masked form that TFRecord files store: rotated right by 15 bits, plus 0xA282EAD8.
std::uint32_t crc32c(std::string_view bytes);
std::uint32_t maskedCrc32c(std::string_view bytes);

}  // namespace holo::interop
