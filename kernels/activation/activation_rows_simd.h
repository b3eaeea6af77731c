#pragma once

#include "kernels/activation/activation_rows.h"
#include "kernels/common/simd_columns.h"

// A single column is computed in a narrow vector, so that both give the same bits.
namespace holo::kernels {
namespace {

// Φ(x) and the density φ(x) of the normal distribution.
template <int W>
HOLO_HD void normalDistribution(typename Simd<W>::F x, typename Simd<W>::F& cumulative, typename Simd<W>::F& density)
{
    using S = Simd<W>;
    using F = typename S::F;
    using I = typename S::I;
    const F magnitude = F(I(x) & 0x7fffffff);
    const F e = exp2<W>(x * x * S::set(-0.72134752044448170f));  // e^(−x²/2)
    const F u = S::set(1.0f) / fma<W>(magnitude, S::set(0.21213203435596426f), S::set(1.0f));
    F p = S::set(-0.06476138532161713f);
    p = fma<W>(p, u, S::set(0.24278128147125244f));
    p = fma<W>(p, u, S::set(-0.2561383843421936f));
    p = fma<W>(p, u, S::set(0.27385929226875305f));
    p = fma<W>(p, u, S::set(-0.04732486978173256f));
    p = fma<W>(p, u, S::set(0.1074628233909607f));
    p = fma<W>(p, u, S::set(0.07416963577270508f));
    p = fma<W>(p, u, S::set(0.08535760641098022f));
    p = fma<W>(p, u, S::set(0.0845940038561821f));
    const F tail = p * u * e;  // Φ(−|x|)
    cumulative = x > F{} ? 1.0f - tail : tail;
    density = e * S::set(0.3989422804014327f);
}

// 1/(1 + e^(−x)).
template <int W>
HOLO_HD typename Simd<W>::F sigmoid(typename Simd<W>::F x)
{
    using S = Simd<W>;
    using F = typename S::F;
    using I = typename S::I;
    const F e = exp2<W>(F(I(x) | I(S::set(-0.0f))) * S::set(1.4426950408889634f));  // of −|x|, hence no overflow
    const F small = e / (1.0f + e);
    return x > F{} ? 1.0f - small : x == x ? small : x;
}

// body(vector width, column) over a row, single columns in four-lane vectors.
template <int W, typename T>
struct Column {
    static constexpr int kWidth = W;
    using S = Simd<W>;
    using F = typename S::F;
    static HOLO_HD F load(const T* p) { return S::load(p); }
    static HOLO_HD F loadFloat(const float* p) { return S::load(p); }
    static HOLO_HD void store(T* p, F x) { S::store(p, x); }
    static HOLO_HD void storeFloat(float* p, F x) { S::store(p, x); }
};

template <typename T>
struct Column<1, T> {
    static constexpr int kWidth = 4;
    using S = Simd<4>;
    using F = S::F;
    static HOLO_HD F load(const T* p) { return S::set(toFloat(*p)); }
    static HOLO_HD F loadFloat(const float* p) { return S::set(*p); }
    static HOLO_HD void store(T* p, F x) { fromFloat(x[0], *p); }
    static HOLO_HD void storeFloat(float* p, F x) { *p = x[0]; }
};

template <int W, typename T, typename Body>
HOLO_HD void overActivations(std::int64_t width, Body&& body)
{
    std::int64_t i = 0;
    for (; i + W <= width; i += W)
        body(Column<W, T>{}, i);
    for (; i < width; ++i)
        body(Column<1, T>{}, i);
}

template <int W, Activation Kind, typename T>
HOLO_HD void forwardActivation(const ActivationParams& p, void* out, std::int64_t r)
{
    const T* up = static_cast<const T*>(p.up) + r * p.width;
    const T* gate = Kind == Activation::SwiGlu ? static_cast<const T*>(p.gate) + r * p.width : nullptr;
    T* y = static_cast<T*>(out) + r * p.width;
    overActivations<W, T>(p.width, [&](auto column, std::int64_t i) __attribute__((always_inline)) {
        using C = decltype(column);
        using F = typename C::F;
        F u = C::load(up + i);
        if (p.upBias)
            u += C::loadFloat(p.upBias + i);
        if constexpr (Kind == Activation::Gelu) {
            F cumulative, density;
            normalDistribution<C::kWidth>(u, cumulative, density);
            C::store(y + i, u * cumulative);
        } else {
            F g = C::load(gate + i);
            if (p.gateBias)
                g += C::loadFloat(p.gateBias + i);
            C::store(y + i, g * sigmoid<C::kWidth>(g) * u);
        }
    });
}

template <int W, Activation Kind, typename T>
HOLO_HD void backwardActivation(const ActivationParams& p, const ActivationGradients& b, std::int64_t r, float* sums)
{
    const std::int64_t row = r * p.width;
    const T* up = static_cast<const T*>(p.up) + row;
    const T* gate = Kind == Activation::SwiGlu ? static_cast<const T*>(p.gate) + row : nullptr;
    const T* dy = static_cast<const T*>(b.dy) + row;
    T* dup = static_cast<T*>(b.dup) + row;
    T* dgate = Kind == Activation::SwiGlu ? static_cast<T*>(b.dgate) + row : nullptr;
    float* dupBias = sums;
    float* dgateBias = sums + p.width;
    overActivations<W, T>(p.width, [&](auto column, std::int64_t i) __attribute__((always_inline)) {
        using C = decltype(column);
        using F = typename C::F;
        F u = C::load(up + i);
        if (p.upBias)
            u += C::loadFloat(p.upBias + i);
        const F d = C::load(dy + i);
        F du;
        if constexpr (Kind == Activation::Gelu) {
            F cumulative, density;
            normalDistribution<C::kWidth>(u, cumulative, density);
            du = d * fma<C::kWidth>(u, density, cumulative);
        } else {
            F g = C::load(gate + i);
            if (p.gateBias)
                g += C::loadFloat(p.gateBias + i);
            const F s = sigmoid<C::kWidth>(g);
            const F silu = g * s;
            du = d * silu;
            const F dg = d * u * fma<C::kWidth>(silu, 1.0f - s, s);
            C::store(dgate + i, dg);
            if (p.gateBias)
                C::storeFloat(dgateBias + i, C::loadFloat(dgateBias + i) + dg);
        }
        C::store(dup + i, du);
        if (p.upBias)
            C::storeFloat(dupBias + i, C::loadFloat(dupBias + i) + du);
    });
}

template <int W, Activation Kind>
HOLO_HD void forwardOfKind(const ActivationParams& p, void* y, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t r = begin; r < end; ++r)
        p.dtype == Dtype::Float32 ? forwardActivation<W, Kind, float>(p, y, r) : forwardActivation<W, Kind, BFloat16>(p, y, r);
}

template <int W, Activation Kind>
HOLO_HD void backwardOfKind(const ActivationParams& p, const ActivationGradients& b, std::int64_t begin, std::int64_t end, float* sums)
{
    for (std::int64_t r = begin; r < end; ++r)
        p.dtype == Dtype::Float32 ? backwardActivation<W, Kind, float>(p, b, r, sums) : backwardActivation<W, Kind, BFloat16>(p, b, r, sums);
}

template <int W>
HOLO_HD void activationForwardRows(const ActivationParams& p, void* y, std::int64_t begin, std::int64_t end)
{
    p.kind == Activation::Gelu ? forwardOfKind<W, Activation::Gelu>(p, y, begin, end) : forwardOfKind<W, Activation::SwiGlu>(p, y, begin, end);
}

template <int W>
HOLO_HD void activationBackwardRows(const ActivationParams& p, const ActivationGradients& b, std::int64_t begin, std::int64_t end, float* sums)
{
    p.kind == Activation::Gelu ? backwardOfKind<W, Activation::Gelu>(p, b, begin, end, sums) : backwardOfKind<W, Activation::SwiGlu>(p, b, begin, end, sums);
}

}  // namespace
}  // namespace holo::kernels
