#pragma once

#include "kernels/common/simd_columns.h"
#include "kernels/norm/norm_rows.h"

// One row at a time, kept in the first-level cache between its passes. Mean and variance are taken in two passes, the second about the mean.
namespace holo::kernels {
namespace {

template <int W>
HOLO_HD float sumOver(const float* row, std::int64_t width)
{
    using L = Lanes<W>;
    typename L::F a{}, b{};
    std::int64_t i = 0;
    for (; i + 2 * W <= width; i += 2 * W) {
        a += L::load(row + i);
        b += L::load(row + i + W);
    }
    float total = L::sum(a + b);
    for (; i < width; ++i)
        total += row[i];
    return total;
}

// Σ (row − mean)².
template <int W>
HOLO_HD float squaresOver(const float* row, std::int64_t width, float mean)
{
    using L = Lanes<W>;
    const auto m = L::set(mean);
    typename L::F a{}, b{};
    std::int64_t i = 0;
    for (; i + 2 * W <= width; i += 2 * W) {
        const auto x = L::load(row + i) - m;
        const auto y = L::load(row + i + W) - m;
        a = L::mulAdd(x, x, a);
        b = L::mulAdd(y, y, b);
    }
    float total = L::sum(a + b);
    for (; i < width; ++i)
        total += (row[i] - mean) * (row[i] - mean);
    return total;
}

template <int W, typename T>
HOLO_HD void addBranch(const float* x, const T* branch, const float* bias, float* sum, std::int64_t width)
{
    overColumns<W>(width, [&](auto lanes, std::int64_t i) __attribute__((always_inline)) {
        using L = decltype(lanes);
        auto value = L::load(branch + i);
        if (bias)
            value += L::load(bias + i);
        L::store(sum + i, L::load(x + i) + value);
    });
}

template <int W, typename T>
HOLO_HD void forwardRow(const NormParams& p, const NormForward& f, std::int64_t r)
{
    const float* row = f.x + r * p.width;
    if (f.sum) {
        float* sum = f.sum + r * p.width;
        addBranch<W>(row, static_cast<const T*>(f.a) + r * p.width, f.biasA, sum, p.width);
        if (f.b)
            addBranch<W>(sum, static_cast<const T*>(f.b) + r * p.width, f.biasB, sum, p.width);
        row = sum;
    }
    const float mean = p.rms ? 0.0f : sumOver<W>(row, p.width) / float(p.width);
    const float variance = squaresOver<W>(row, p.width, mean) / float(p.width);
    const float scale = 1.0f / __builtin_sqrtf(variance + p.eps);
    if (!p.rms)
        f.mean[r] = mean;
    f.scale[r] = scale;
    for (int o = 0; o < p.outputs; ++o) {
        T* y = static_cast<T*>(f.y[o]) + r * p.width;
        const float* weight = p.weight[o];
        const float* bias = p.bias[o];
        overColumns<W>(p.width, [&](auto lanes, std::int64_t i) __attribute__((always_inline)) {
            using L = decltype(lanes);
            auto value = (L::load(row + i) - L::set(mean)) * L::set(scale);
            if (weight)
                value *= L::load(weight + i);
            if (bias)
                value += L::load(bias + i);
            L::store(y + i, value);
        });
    }
}

// With x̂ = (s − mean)·scale and g = Σ dy_i·weight_i:   dx = dsum + scale·(g − ⟨g⟩ − x̂·⟨g·x̂⟩), without ⟨g⟩ for RMSNorm.
template <int W, int Outputs, typename T>
HOLO_HD void backwardRow(const NormParams& p, const NormBackward& b, std::int64_t r, float* sums)
{
    const std::int64_t n = p.width;
    const float* row = b.sum + r * n;
    const float* dsum = b.dsum ? b.dsum + r * n : nullptr;
    float* dx = b.dx + r * n;
    const float mean = p.rms ? 0.0f : b.mean[r];
    const float scale = b.scale[r];
    typename Lanes<W>::F wideG{}, wideGx{};
    float g0 = 0, gx0 = 0;
    overColumns<W>(n, [&](auto lanes, std::int64_t i) __attribute__((always_inline)) {
        using L = decltype(lanes);
        const auto normal = (L::load(row + i) - L::set(mean)) * L::set(scale);
        auto g = L::set(0.0f);
        HOLO_UNROLL
        for (int o = 0; o < Outputs; ++o) {
            const auto dy = L::load(static_cast<const T*>(b.dy[o]) + r * n + i);
            float* dweight = sums + (2 * o) * n + i;
            float* dbias = dweight + n;
            L::store(dweight, L::mulAdd(dy, normal, L::load(dweight)));
            L::store(dbias, L::load(dbias) + dy);
            g = p.weight[o] ? L::mulAdd(dy, L::load(p.weight[o] + i), g) : g + dy;
        }
        L::store(dx + i, g);
        if constexpr (sizeof(g) == sizeof(float)) {
            g0 += g;
            gx0 += g * normal;
        } else {
            wideG += g;
            wideGx = L::mulAdd(g, normal, wideGx);
        }
    });
    const float meanG = p.rms ? 0.0f : (Lanes<W>::sum(wideG) + g0) / float(n);
    const float meanGx = (Lanes<W>::sum(wideGx) + gx0) / float(n);
    T* branch = b.dbranch ? static_cast<T*>(b.dbranch) + r * n : nullptr;
    float* total = sums + 4 * n;
    overColumns<W>(n, [&](auto lanes, std::int64_t i) __attribute__((always_inline)) {
        using L = decltype(lanes);
        const auto normal = (L::load(row + i) - L::set(mean)) * L::set(scale);
        auto value = (L::load(dx + i) - L::set(meanG) - normal * L::set(meanGx)) * L::set(scale);
        if (dsum)
            value += L::load(dsum + i);
        L::store(dx + i, value);
        L::store(total + i, L::load(total + i) + value);
        if (branch)
            L::store(branch + i, value);
    });
}

template <int W>
HOLO_HD void normForwardRows(const NormParams& p, const NormForward& f, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t r = begin; r < end; ++r) {
        if (p.dtype == Dtype::Float32)
            forwardRow<W, float>(p, f, r);
        else
            forwardRow<W, BFloat16>(p, f, r);
    }
}

template <int W>
HOLO_HD void normBackwardRows(const NormParams& p, const NormBackward& b, std::int64_t begin, std::int64_t end, float* sums)
{
    for (std::int64_t r = begin; r < end; ++r) {
        if (p.dtype == Dtype::Float32)
            p.outputs == 1 ? backwardRow<W, 1, float>(p, b, r, sums) : backwardRow<W, 2, float>(p, b, r, sums);
        else
            p.outputs == 1 ? backwardRow<W, 1, BFloat16>(p, b, r, sums) : backwardRow<W, 2, BFloat16>(p, b, r, sums);
    }
}

}  // namespace
}  // namespace holo::kernels
