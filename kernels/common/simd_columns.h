#pragma once

#include "kernels/common/simd_math.h"

// Loops over the columns of a row, written once for vectors and for the single columns that fill none; the rules of linkage of simd.h.
namespace holo::kernels {
namespace {

template <int W>
struct Lanes : Simd<W> {
    using F = typename Simd<W>::F;
    static HOLO_HD float sum(F x)
    {
        float total = 0;
        for (int i = 0; i < W; ++i)
            total += x[i];
        return total;
    }
    static HOLO_HD F mulAdd(F a, F b, F c) { return fma<W>(a, b, c); }
};

template <>
struct Lanes<1> {
    using F = float;
    static HOLO_HD float set(float x) { return x; }
    template <typename T>
    static HOLO_HD float load(const T* p)
    {
        return toFloat(*p);
    }
    template <typename T>
    static HOLO_HD void store(T* p, float x)
    {
        fromFloat(x, *p);
    }
    static HOLO_HD float sum(float x) { return x; }
    static HOLO_HD float mulAdd(float a, float b, float c) { return a * b + c; }
};

// body(lanes, i) for i = 0, W, 2W … and then for single columns.
template <int W, typename Body>
HOLO_HD void overColumns(std::int64_t width, Body&& body)
{
    std::int64_t i = 0;
    for (; i + W <= width; i += W)
        body(Lanes<W>{}, i);
    for (; i < width; ++i)
        body(Lanes<1>{}, i);
}

}  // namespace
}  // namespace holo::kernels
