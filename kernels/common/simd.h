#pragma once

#include "kernels/common/half.h"

#include <cstdint>
#include <utility>

#if HOLO_KERNELS_X86
#include <immintrin.h>
#endif

// Vectors of W floats in the compiler's own vector types, for files compiled per instruction set; the width is a template argument,
// so one source serves 4, 8 and 16 lanes, and a wide vector also works (in pieces) where the processor has only narrow ones.
// Everything here has internal linkage and nothing of the standard library is called: a function compiled with wide instructions
// must never become the copy that the rest of the program uses.
// Before a loop over registers of a tile: only unrolled early does the compiler keep the tile out of memory.
#define HOLO_UNROLL _Pragma("GCC unroll 16")

namespace holo::kernels {
namespace {

template <int W>
struct VectorTypes;

#define HOLO_VECTOR_TYPES(W)                                           \
    template <>                                                        \
    struct VectorTypes<W> {                                            \
        typedef float F __attribute__((vector_size(W * 4)));           \
        typedef std::int32_t I __attribute__((vector_size(W * 4)));    \
        typedef std::uint32_t U __attribute__((vector_size(W * 4)));   \
        typedef std::uint16_t H __attribute__((vector_size(W * 2)));   \
    };
HOLO_VECTOR_TYPES(4)
HOLO_VECTOR_TYPES(8)
HOLO_VECTOR_TYPES(16)
#undef HOLO_VECTOR_TYPES

// Bit patterns of bfloat16 in the low halves: nearest, ties to even, NaN quiet.
template <int W>
HOLO_HD typename VectorTypes<W>::U roundToBFloat16(typename VectorTypes<W>::F x)
{
    using I = typename VectorTypes<W>::I;
    using U = typename VectorTypes<W>::U;
    const U u = U(x);
    const U rounded = u + 0x7fffu + ((u >> 16) & 1u);
    const I nan = x != x;
    return U(nan ? I(u | 0x400000u) : I(rounded)) >> 16;
}

template <int W>
struct Simd {
    using F = typename VectorTypes<W>::F;
    using I = typename VectorTypes<W>::I;
    using U = typename VectorTypes<W>::U;
    using H = typename VectorTypes<W>::H;

    static HOLO_HD F set(float x) { return x - F{}; }  // x − 0 keeps the sign of zero

    static HOLO_HD F load(const float* p)
    {
        F x;
        memcpy(&x, p, sizeof x);
        return x;
    }
    static HOLO_HD void store(float* p, F x) { memcpy(p, &x, sizeof x); }

    static HOLO_HD F load(const BFloat16* p)
    {
        H h;
        memcpy(&h, p, sizeof h);
        return F(__builtin_convertvector(h, U) << 16);
    }
    static HOLO_HD void store(BFloat16* p, F x)
    {
        const H h = __builtin_convertvector(roundToBFloat16<W>(x), H);
        memcpy(p, &h, sizeof h);
    }

    static HOLO_HD F load(const Float16* p)
    {
#ifdef __F16C__
        F x;
        if constexpr (W == 4) {
            __m128i h = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
            x = F(_mm_cvtph_ps(h));
        } else {
            for (int i = 0; i < W / 8; ++i) {
                const __m256 part = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8 * i)));
                memcpy(reinterpret_cast<char*>(&x) + 32 * i, &part, 32);
            }
        }
        return x;
#else
        float x[W];
        for (int i = 0; i < W; ++i)
            x[i] = toFloat(p[i]);
        return load(x);
#endif
    }
    static HOLO_HD void store(Float16* p, F x)
    {
#ifdef __F16C__
        if constexpr (W == 4) {
            _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_cvtps_ph(__m128(x), _MM_FROUND_TO_NEAREST_INT));
        } else {
            for (int i = 0; i < W / 8; ++i) {
                __m256 part;
                memcpy(&part, reinterpret_cast<const char*>(&x) + 32 * i, 32);
                _mm_storeu_si128(reinterpret_cast<__m128i*>(p + 8 * i), _mm256_cvtps_ph(part, _MM_FROUND_TO_NEAREST_INT));
            }
        }
#else
        for (int i = 0; i < W; ++i)
            fromFloat(x[i], p[i]);
#endif
    }
};

// Two vectors at a time, 2W consecutive values in an order that costs least: for bfloat16, lanes of four of the first vector and of
// the second take turns, so that widening and narrowing never cross 128-bit lanes. order() puts 2W floats into the same order.
template <int W, typename T>
struct Pair {
    using S = Simd<W>;
    using F = typename S::F;
    static HOLO_HD void load(const T* p, F& a, F& b)
    {
        a = S::load(p);
        b = S::load(p + W);
    }
    static HOLO_HD void store(T* p, F a, F b)
    {
        S::store(p, a);
        S::store(p + W, b);
    }
    static HOLO_HD void order(F&, F&) { }
    static constexpr bool kTakesTurns = false;
};

#if defined(__AVX2__)
template <>
struct Pair<8, BFloat16> {
    static constexpr bool kTakesTurns = true;
    using F = Simd<8>::F;
    static HOLO_HD void load(const BFloat16* p, F& a, F& b)
    {
        const __m256i h = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        a = F(_mm256_unpacklo_epi16(_mm256_setzero_si256(), h));
        b = F(_mm256_unpackhi_epi16(_mm256_setzero_si256(), h));
    }
    static HOLO_HD void store(BFloat16* p, F a, F b)
    {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_packus_epi32(__m256i(roundToBFloat16<8>(a)), __m256i(roundToBFloat16<8>(b))));
    }
    static HOLO_HD void order(F& a, F& b)
    {
        const F low = _mm256_permute2f128_ps(a, b, 0x20);
        b = _mm256_permute2f128_ps(a, b, 0x31);
        a = low;
    }
};
#endif

#if defined(__AVX512BW__)
template <>
struct Pair<16, BFloat16> {
    static constexpr bool kTakesTurns = true;
    using F = Simd<16>::F;
    static HOLO_HD void load(const BFloat16* p, F& a, F& b)
    {
        const __m512i h = _mm512_loadu_si512(p);
        a = F(_mm512_unpacklo_epi16(_mm512_setzero_si512(), h));
        b = F(_mm512_unpackhi_epi16(_mm512_setzero_si512(), h));
    }
    static HOLO_HD void store(BFloat16* p, F a, F b)
    {
        _mm512_storeu_si512(p, _mm512_packus_epi32(__m512i(roundToBFloat16<16>(a)), __m512i(roundToBFloat16<16>(b))));
    }
    static HOLO_HD void order(F& a, F& b)
    {
        const F low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        b = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
        a = low;
    }
};
#endif

// Splits 2W interleaved values (a, b) into the even and the odd ones without crossing 128-bit lanes, which keeps it at one
// instruction each. Lane i of both results then belongs to plane `laneOrder(i)`; join() is the inverse.
template <int W>
struct Interleave {
    using S = Simd<W>;
    using F = typename S::F;
    using Lanes = std::make_integer_sequence<int, W>;

    static constexpr int laneOrder(int i) { return (i & 2) == 0 ? (i >> 2) * 2 + (i & 1) : W / 2 + (i >> 2) * 2 + (i & 1); }
    static constexpr int source(int i, int odd) { return (i & ~3) + 2 * (i & 1) + odd + ((i & 2) != 0 ? W : 0); }
    static constexpr int target(int i, int high) { return (i & ~3) + 2 * high + ((i & 3) >> 1) + ((i & 1) != 0 ? W : 0); }

    template <int... L>
    static HOLO_HD F order(F x, std::integer_sequence<int, L...>)
    {
        return __builtin_shufflevector(x, x, laneOrder(L)...);
    }
    template <int... L>
    static HOLO_HD void split(F a, F b, F& even, F& odd, std::integer_sequence<int, L...>)
    {
        even = __builtin_shufflevector(a, b, source(L, 0)...);
        odd = __builtin_shufflevector(a, b, source(L, 1)...);
    }
    template <int... L>
    static HOLO_HD void join(F even, F odd, F& a, F& b, std::integer_sequence<int, L...>)
    {
        a = __builtin_shufflevector(even, odd, target(L, 0)...);
        b = __builtin_shufflevector(even, odd, target(L, 1)...);
    }

    static HOLO_HD F order(F x) { return order(x, Lanes{}); }
    static HOLO_HD void split(F a, F b, F& even, F& odd) { split(a, b, even, odd, Lanes{}); }
    static HOLO_HD void join(F even, F odd, F& a, F& b) { join(even, odd, a, b, Lanes{}); }
};

}  // namespace
}  // namespace holo::kernels
