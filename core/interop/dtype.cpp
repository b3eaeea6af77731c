#include "core/interop/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace holo::interop {

std::optional<int> dtypeBits(std::string_view name)
{
    static constexpr std::array<std::pair<std::string_view, int>, 22> kTypes{{
        {"F32", 32}, {"BF16", 16}, {"F16", 16}, {"F64", 64}, {"I64", 64}, {"I32", 32}, {"I16", 16}, {"I8", 8},
        {"U64", 64}, {"U32", 32}, {"U16", 16}, {"U8", 8}, {"BOOL", 8}, {"C64", 64},
        {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
        {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
    }};
    for (const auto& [known, bits] : kTypes)
        if (known == name)
            return bits;
    return std::nullopt;
}

bool isUsedFloat(std::string_view name) { return name == "F32" || name == "BF16" || name == "F16" || name == "F64"; }

float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31u;
    const std::uint32_t mantissa = bits & 0x3FFu;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
    if (exponent == 0) {
        const float magnitude = std::ldexp(float(mantissa), -24);
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

float bfloat16ToFloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t(bits) << 16); }

}  // namespace holo::interop
