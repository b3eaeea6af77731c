#pragma once

#include "kernels/attention/attention_work.h"
#include "kernels/common/simd_math.h"
#include "kernels/rotary/rotary_math.h"

// Between strided storage and packed float rows: widening, rotation and its transpose, scaling, transposition.
// Included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

// Rotation of one row; null tables leave it as it is.
struct RowRotation {
    const float* cosines = nullptr;
    const float* sines = nullptr;
    std::int32_t planes = 0;
    float sign = 1;  // of the sine
    Pairing pairing = Pairing::HalfSplit;
};

HOLO_HD RowRotation rotationOf(const AttentionParams& p, const LadderTables& tables, const std::uint8_t* ladders, std::int64_t head,
    std::int64_t b, std::int64_t key, float sign)
{
    RowRotation r;
    const std::int32_t ladder = ladders ? ladders[head] : 0;
    if (p.rotaryDim == 0 || !tables.cosines || ladder == kNoLadder)
        return r;
    const std::int64_t row = tables.rowOffset(ladder, p.positions.at(b, key));
    r.cosines = tables.cosines + row;
    r.sines = tables.sines + row;
    r.planes = p.rotaryDim / 2;
    r.sign = sign;
    r.pairing = p.pairing;
    return r;
}

template <int W>
HOLO_HD std::int32_t rotateHalves(float* x, const RowRotation& r, std::int32_t j)
{
    using S = Simd<W>;
    for (; j + W <= r.planes; j += W) {
        typename S::F x0 = S::load(x + j);
        typename S::F x1 = S::load(x + j + r.planes);
        rotatePair(x0, x1, S::load(r.cosines + j), S::load(r.sines + j) * r.sign);
        S::store(x + j, x0);
        S::store(x + j + r.planes, x1);
    }
    return j;
}

template <int W>
HOLO_HD std::int32_t rotateNeighbours(float* x, const RowRotation& r, std::int32_t j)
{
    using S = Simd<W>;
    using X = Interleave<W>;
    for (; j + W <= r.planes; j += W) {
        typename S::F x0, x1, a, b;
        X::split(S::load(x + 2 * j), S::load(x + 2 * j + W), x0, x1);
        rotatePair(x0, x1, X::order(S::load(r.cosines + j)), X::order(S::load(r.sines + j) * r.sign));
        X::join(x0, x1, a, b);
        S::store(x + 2 * j, a);
        S::store(x + 2 * j + W, b);
    }
    return j;
}

template <int W>
HOLO_HD void rotatePacked(float* x, const RowRotation& r)
{
    if (!r.cosines)
        return;
    const bool halves = r.pairing == Pairing::HalfSplit;
    std::int32_t j = halves ? rotateHalves<W>(x, r, 0) : rotateNeighbours<W>(x, r, 0);
    if constexpr (W > 4)
        j = halves ? rotateHalves<4>(x, r, j) : rotateNeighbours<4>(x, r, j);
    for (; j < r.planes; ++j) {
        float& x0 = x[halves ? j : 2 * j];
        float& x1 = x[halves ? j + r.planes : 2 * j + 1];
        rotatePair(x0, x1, r.cosines[j], r.sines[j] * r.sign);
    }
}

// to[0 … dims−1] = factor · from, to[dims … padded−1] = 0.
template <int W, typename T>
HOLO_HD void widenRow(const T* from, float* to, std::int32_t dims, std::int64_t padded, float factor)
{
    std::int32_t i = 0;
    for (; i + W <= dims; i += W)
        Simd<W>::store(to + i, Simd<W>::load(from + i) * factor);
    if constexpr (W > 4) {
        for (; i + 4 <= dims; i += 4)
            Simd<4>::store(to + i, Simd<4>::load(from + i) * factor);
    }
    for (; i < dims; ++i)
        to[i] = toFloat(from[i]) * factor;
    for (; i < padded; ++i)
        to[i] = 0;
}

template <int W, typename T>
HOLO_HD void narrowRow(const float* from, T* to, std::int32_t dims)
{
    std::int32_t i = 0;
    for (; i + W <= dims; i += W)
        Simd<W>::store(to + i, Simd<W>::load(from + i));
    if constexpr (W > 4) {
        for (; i + 4 <= dims; i += 4)
            Simd<4>::store(to + i, Simd<4>::load(from + i));
    }
    for (; i < dims; ++i)
        fromFloat(from[i], to[i]);
}

// lanes[d][i] = rows[i][d] for i < block, d < dims.
template <std::int64_t block>
HOLO_HD void transposeIn(const float* rows, float* lanes, std::int64_t dims, std::int64_t padded)
{
    for (std::int64_t d = 0; d < dims; ++d) {
        for (std::int64_t i = 0; i < block; ++i)
            lanes[d * block + i] = rows[i * padded + d];
    }
}

template <std::int64_t block>
HOLO_HD void transposeOut(const float* lanes, float* rows, std::int64_t dims, std::int64_t padded)
{
    for (std::int64_t i = 0; i < block; ++i) {
        for (std::int64_t d = 0; d < dims; ++d)
            rows[i * padded + d] = lanes[d * block + i];
    }
}

template <typename T>
HOLO_HD const T* rowOf(const AttentionInput& x, std::int64_t b, std::int64_t t, std::int64_t h)
{
    return static_cast<const T*>(x.data) + (b * x.batchStride + t * x.tokenStride + h * x.headStride);
}

template <typename T>
HOLO_HD T* rowOf(const AttentionOutput& x, std::int64_t b, std::int64_t t, std::int64_t h)
{
    return static_cast<T*>(x.data) + (b * x.batchStride + t * x.tokenStride + h * x.headStride);
}

// Rows first … last−1 of a key head, rotated if it has tables, and four rows of zeros behind them.
template <int W, typename T>
HOLO_HD void packKeys(const AttentionParams& p, const AttentionInput& x, bool rotates, std::int64_t b, std::int64_t head,
    std::int64_t first, std::int64_t last, float* packed)
{
    const std::int64_t padded = paddedDim(p.headDim);
    for (std::int64_t j = first; j < last; ++j) {
        float* row = packed + j * padded;
        widenRow<W>(rowOf<T>(x, b, j, head), row, p.headDim, padded, 1.0f);
        if (rotates)
            rotatePacked<W>(row, rotationOf(p, p.keyTables, p.keyLadders, head, b, j, 1.0f));
    }
    for (std::int64_t i = last * padded; i < packedRows(last) * padded; ++i)
        packed[i] = 0;
}

}  // namespace
}  // namespace holo::kernels
