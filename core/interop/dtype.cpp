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

std::uint16_t floatToHalf(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = std::uint16_t((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
        return std::uint16_t(sign | 0x7E00u);
    if (magnitude >= 0x477FF000u)  // 65520, from where on the nearest half is infinite
        return std::uint16_t(sign | 0x7C00u);
    if (magnitude < 0x38800000u)  // below 2^−14: multiples of 2^−24
        return std::uint16_t(sign | std::uint16_t(std::nearbyint(std::ldexp(std::bit_cast<float>(magnitude), 24))));
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return std::uint16_t(sign | ((magnitude - 0x38000000u + 0xFFFu + odd) >> 13));
}

std::uint16_t floatToBfloat16(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return std::uint16_t((bits >> 16) | 0x40u);
    return std::uint16_t((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace holo::interop
