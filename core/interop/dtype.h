#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holo::interop {

// Element types of the safetensors format, by the names it uses: "F32", "BF16", "I64", "F8_E4M3", ….
// Size of an element in bits (some types are narrower than a byte); nothing for a name the format does not know.
std::optional<int> dtypeBits(std::string_view name);

// True for the types that hold floating-point values of 16, 32 or 64 bits, which are the ones the program computes with.
bool isUsedFloat(std::string_view name);

// Element of a 16-bit float widened exactly.
float halfToFloat(std::uint16_t bits);
float bfloat16ToFloat(std::uint16_t bits);
// Rounded to nearest, ties to even; too large becomes infinite.
std::uint16_t floatToHalf(float value);
std::uint16_t floatToBfloat16(float value);

}  // namespace holo::interop
