#pragma once

#include "kernels/classifier/classifier_rows.h"
#include "kernels/common/simd_math.h"

// A row is read three times, from memory once: its largest logit, the sum of exponentials, the probabilities.
namespace holo::kernels {
namespace {

constexpr float kLog2e = 1.4426950408889634f;
constexpr std::int64_t kBlockOfSum = 1024;  // columns added in float before double takes over

template <int W, typename T>
HOLO_HD float largest(const T* x, std::int64_t n)
{
    using S = Simd<W>;
    using F = typename S::F;
    float best = -__builtin_inff();
    std::int64_t i = 0;
    if (n >= W) {
        F a = S::set(best), b = a;
        for (; i + 2 * W <= n; i += 2 * W) {
            a = maxOf<W>(a, S::load(x + i));
            b = maxOf<W>(b, S::load(x + i + W));
        }
        a = maxOf<W>(a, b);
        for (int l = 0; l < W; ++l)
            best = a[l] > best ? a[l] : best;
    }
    for (; i < n; ++i)
        best = toFloat(x[i]) > best ? toFloat(x[i]) : best;
    return best;
}

// e^(x − largest) of one value, by the same arithmetic as a vector's.
HOLO_HD float exponential(float x, float top)
{
    return exp2<4>((Simd<4>::set(x) - top) * kLog2e)[0];
}

// Σ e^(x − largest); the terms of fp32 rows are kept in the row where a gradient will be made of them.
template <int W, typename T>
HOLO_HD double exponentials(T* x, std::int64_t n, float top, bool keep)
{
    using S = Simd<W>;
    using F = typename S::F;
    double total = 0;
    std::int64_t i = 0;
    while (i + 2 * W <= n) {
        const std::int64_t end = i + kBlockOfSum < n ? i + kBlockOfSum : n;
        F a{}, b{};
        for (; i + 2 * W <= end; i += 2 * W) {
            const F e0 = exp2<W>((S::load(x + i) - top) * kLog2e);
            const F e1 = exp2<W>((S::load(x + i + W) - top) * kLog2e);
            a += e0;
            b += e1;
            if constexpr (sizeof(T) == sizeof(float)) {
                if (keep) {
                    S::store(x + i, e0);
                    S::store(x + i + W, e1);
                }
            }
        }
        a += b;
        float part = 0;
        for (int l = 0; l < W; ++l)
            part += a[l];
        total += double(part);
        if (end == n)
            break;
    }
    for (; i < n; ++i) {
        const float e = exponential(toFloat(x[i]), top);
        total += double(e);
        if constexpr (sizeof(T) == sizeof(float)) {
            if (keep)
                x[i] = e;
        }
    }
    return total;
}

template <int W, typename T>
HOLO_HD void probabilities(T* x, std::int64_t n, float top, float factor)
{
    using S = Simd<W>;
    std::int64_t i = 0;
    for (; i + W <= n; i += W) {
        if constexpr (sizeof(T) == sizeof(float))
            S::store(x + i, S::load(x + i) * S::set(factor));
        else
            S::store(x + i, exp2<W>((S::load(x + i) - top) * kLog2e) * S::set(factor));
    }
    for (; i < n; ++i) {
        if constexpr (sizeof(T) == sizeof(float))
            x[i] *= factor;
        else
            fromFloat(exponential(toFloat(x[i]), top) * factor, x[i]);
    }
}

template <int W, typename T>
HOLO_HD void classifierRow(const ClassifierParams& p, ClassifierRow& result, std::int64_t r)
{
    T* x = static_cast<T*>(p.logits) + r * p.vocabulary;
    const std::int64_t target = p.targets[r];
    if (target < 0) {
        if (p.gradient)
            __builtin_memset(x, 0, std::size_t(p.vocabulary) * sizeof(T));
        return;
    }
    const float top = largest<W>(x, p.vocabulary);
    const float own = toFloat(x[target]);
    result.target = double(own) - double(top);
    result.sum = exponentials<W>(x, p.vocabulary, top, p.gradient);
    if (!p.gradient)
        return;
    const float factor = float(1.0 / result.sum);
    probabilities<W>(x, p.vocabulary, top, factor);
    // In double from the exponential on: near certainty the difference to 1 is what is left.
    fromFloat(float(double(exponential(own, top)) / result.sum - 1.0), x[target]);
}

template <int W>
HOLO_HD void classifierRowsOf(const ClassifierParams& p, ClassifierRow* rows, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t r = begin; r < end; ++r)
        p.dtype == Dtype::Float32 ? classifierRow<W, float>(p, rows[r], r) : classifierRow<W, BFloat16>(p, rows[r], r);
}

}  // namespace
}  // namespace holo::kernels
