#pragma once

#include "kernels/common/simd.h"

// Arithmetic on the vectors of simd.h; the same rules of linkage.
namespace holo::kernels {
namespace {

// a·b + c, fused where the processor can.
template <int W>
HOLO_HD typename Simd<W>::F fma(typename Simd<W>::F a, typename Simd<W>::F b, typename Simd<W>::F c)
{
#ifdef __FMA__
    if constexpr (W == 4)
        return _mm_fmadd_ps(a, b, c);
    if constexpr (W == 8)
        return _mm256_fmadd_ps(a, b, c);
#ifdef __AVX512F__
    if constexpr (W == 16)
        return _mm512_fmadd_ps(a, b, c);
#endif
#endif
    return a * b + c;
}

// a > b ? a : b, hence b if either is NaN; one instruction, which the compiler does not find by itself.
template <int W>
HOLO_HD typename Simd<W>::F maxOf(typename Simd<W>::F a, typename Simd<W>::F b)
{
#ifdef __SSE__
    if constexpr (W == 4)
        return _mm_max_ps(a, b);
#endif
#ifdef __AVX__
    if constexpr (W == 8)
        return _mm256_max_ps(a, b);
#endif
#ifdef __AVX512F__
    if constexpr (W == 16)
        return _mm512_max_ps(a, b);
#endif
    return a > b ? a : b;
}

// Lanes of x where the mask is all ones, 0 elsewhere.
template <int W>
HOLO_HD typename Simd<W>::F keepWhere(typename Simd<W>::I mask, typename Simd<W>::F x)
{
    return typename Simd<W>::F(mask & typename Simd<W>::I(x));
}

// 2^x for x <= 127 within 1 ulp. Below 2^−126 the result stays at 2^−126, which nothing notices beside a softmax's largest term, 1.
// NaN stays NaN. The polynomial is the minimax one (relative error 3e−9 on [−½, ½]) with a constant term of exactly 1.
template <int W>
HOLO_HD typename Simd<W>::F exp2(typename Simd<W>::F x)
{
    using S = Simd<W>;
    using F = typename S::F;
    using I = typename S::I;
    x = maxOf<W>(S::set(-126.0f), x);
    const F shift = S::set(12582912.0f);  // 1.5·2^23: adding it rounds to an integer, kept in the low bits
    const F shifted = x + shift;
    const F f = x - (shifted - shift);
    F p = S::set(0.00015461444705255228f);
    p = fma<W>(p, f, S::set(0.0013400428177537337f));
    p = fma<W>(p, f, S::set(0.009618056678507313f));
    p = fma<W>(p, f, S::set(0.055503272266707065f));
    p = fma<W>(p, f, S::set(0.24022650922288827f));
    p = fma<W>(p, f, S::set(0.6931472067028323f));
    p = fma<W>(p, f, S::set(1.0f));
    return F(I(p) + (I(shifted) << 23));
}

}  // namespace
}  // namespace holo::kernels
