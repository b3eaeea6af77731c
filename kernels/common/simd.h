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
HOLO_VECTOR_TYPES(32)
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

// Two vectors at a time, 2W consecutive values, in the order that costs least: of a 16-bit type whose halves of a word are values
// themselves, the even ones in the first vector and the odd ones in the second. order() puts 2W floats into the same order.
template <int W, typename T>
struct Pair {
    using S = Simd<W>;
    using F = typename S::F;
    static constexpr bool kAlternates = false;
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
};

#if defined(__AVX2__)
HOLO_HD VectorTypes<16>::H subtractSaturated(VectorTypes<16>::H a, VectorTypes<16>::H b)
{
    return VectorTypes<16>::H(_mm256_subs_epu16(__m256i(a), __m256i(b)));
}
HOLO_HD VectorTypes<32>::H subtractSaturated(VectorTypes<32>::H a, VectorTypes<32>::H b)
{
#if defined(__AVX512BW__)
    return VectorTypes<32>::H(_mm512_subs_epu16(__m512i(a), __m512i(b)));
#else
    VectorTypes<16>::H x[2], y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    for (int i = 0; i < 2; ++i)
        x[i] = subtractSaturated(x[i], y[i]);
    memcpy(&a, x, sizeof a);
    return a;
#endif
}
#endif

// bfloat16 by words of two: widening is a shift or a mask, and both values of a word are rounded at once. NaNs are not looked for, so
// they stay NaN only while the low half of their bits is less than half a unit: that of widened bfloat16 and whatever arithmetic makes
// of it is 0, that of other operands has to go through quiet().
template <int W>
struct PairOfBFloat16 {
    using F = typename VectorTypes<W>::F;
    using I = typename VectorTypes<W>::I;
    using U = typename VectorTypes<W>::U;
    using H = typename VectorTypes<2 * W>::H;
    using Lanes = std::make_integer_sequence<int, W>;
    using Halves = std::make_integer_sequence<int, 2 * W>;
    static constexpr bool kAlternates = true;

    static HOLO_HD void load(const BFloat16* p, F& a, F& b)
    {
        U words;
        memcpy(&words, p, sizeof words);
        a = F(words << 16);
        b = F(words & 0xffff0000u);
    }

    // Rounds up where the low half exceeds ½ unit, or equals it under an odd value: low − (value even), never below 0, has its top bit set.
    static HOLO_HD void store(BFloat16* p, F a, F b)
    {
        const H value = mixed(H(U(a) >> 16), H(b), Halves{});
        const H low = mixed(H(a), H(U(b) << 16), Halves{});
        const H rounded = value + (subtractSaturated(low, ~value & 1) >> 15);
        memcpy(p, &rounded, sizeof rounded);
    }

    static HOLO_HD void order(F& a, F& b)
    {
        const F even = every<0>(a, b, Lanes{});
        b = every<1>(a, b, Lanes{});
        a = even;
    }

    static HOLO_HD F quiet(F x)
    {
        const I nan = x != x;
        return F(nan ? (I(x) | 0x400000) & ~0xffff : I(x));
    }

private:
    template <int... L>
    static HOLO_HD H mixed(H low, H high, std::integer_sequence<int, L...>)
    {
        return __builtin_shufflevector(low, high, (L % 2 == 0 ? L : L + 2 * W)...);
    }
    template <int odd, int... L>
    static HOLO_HD F every(F a, F b, std::integer_sequence<int, L...>)
    {
        return __builtin_shufflevector(a, b, (2 * L + odd)...);
    }
};

#if defined(__AVX2__)
template <>
struct Pair<8, BFloat16> : PairOfBFloat16<8> { };
template <>
struct Pair<16, BFloat16> : PairOfBFloat16<16> { };
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
