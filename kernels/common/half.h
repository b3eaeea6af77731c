#pragma once

#include "kernels/common/host_device.h"

#include <cstdint>
#include <cstring>

namespace holo::kernels {

// Storage of the 16-bit types as plain bits; all rounding is to nearest, ties to even.
struct BFloat16 {
    std::uint16_t bits;
};
struct Float16 {
    std::uint16_t bits;
};

HOLO_HD std::uint32_t bitsOf(float x)
{
    std::uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}

HOLO_HD float floatOf(std::uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

HOLO_HD float toFloat(float x) { return x; }
HOLO_HD double toFloat(double x) { return x; }
HOLO_HD float toFloat(BFloat16 x) { return floatOf(std::uint32_t(x.bits) << 16); }

HOLO_HD float toFloat(Float16 x)
{
    const std::uint32_t sign = std::uint32_t(x.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = x.bits & 0x7fffu;
    if (magnitude >= 0x7c00u)  // infinity and NaN
        return floatOf(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u)
        return floatOf(sign | ((magnitude << 13) + 0x38000000u));
    const float subnormal = float(magnitude) * 0x1p-24f;
    return floatOf(sign | bitsOf(subnormal));
}

HOLO_HD void fromFloat(float x, float& y) { y = x; }
HOLO_HD void fromFloat(double x, double& y) { y = x; }

HOLO_HD void fromFloat(float x, BFloat16& y)
{
    const std::uint32_t u = bitsOf(x);
    if ((u & 0x7fffffffu) > 0x7f800000u)  // a NaN stays one whatever its payload
        y.bits = std::uint16_t((u >> 16) | 0x40u);
    else
        y.bits = std::uint16_t((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

HOLO_HD void fromFloat(float x, Float16& y)
{
    const std::uint32_t u = bitsOf(x);
    const std::uint32_t sign = (u >> 16) & 0x8000u;
    const std::uint32_t magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        y.bits = std::uint16_t(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    } else if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
        y.bits = std::uint16_t(sign | 0x7c00u);
    } else if (magnitude >= 0x38800000u) {
        y.bits = std::uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13));
    } else {
        // Adding ½ leaves exactly the subnormal grid of float16 in the last bits, rounded as wanted.
        const float shifted = floatOf(magnitude) + 0.5f;
        y.bits = std::uint16_t(sign | (bitsOf(shifted) - 0x3f000000u));
    }
}

}  // namespace holo::kernels
