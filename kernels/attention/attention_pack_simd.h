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

// Fetches a row that is needed soon. Rows of one head lie a whole packed QKV apart, so that nearly each is on a page of its own and
// no hardware prefetcher follows.
template <bool writes, typename T>
HOLO_HD void prefetchRow(const T* row, std::int32_t dims)
{
    const char* line = reinterpret_cast<const char*>(row);
    for (std::int64_t at = 0; at < std::int64_t(dims * sizeof(T)); at += 64)
        __builtin_prefetch(line + at, writes ? 1 : 0);
}
constexpr std::int64_t kPrefetchRows = 16;

// Rows first … last−1 of a key head, k rotated if it has tables, and rows of zeros behind them.
template <int W, typename T>
HOLO_HD void packKeys(const AttentionParams& p, std::int64_t b, std::int64_t head, std::int64_t first, std::int64_t last, float* packedK,
    float* packedV)
{
    const std::int64_t padded = paddedDim(p.headDim);
    for (std::int64_t j = first; j < last; ++j) {
        const T* k = rowOf<T>(p.k, b, j, head);
        const T* v = rowOf<T>(p.v, b, j, head);
        if (j + kPrefetchRows < last) {
            prefetchRow<false>(k + kPrefetchRows * p.k.tokenStride, p.headDim);
            prefetchRow<false>(v + kPrefetchRows * p.v.tokenStride, p.headDim);
        }
        widenRow<W>(k, packedK + j * padded, p.headDim, padded, 1.0f);
        rotatePacked<W>(packedK + j * padded, rotationOf(p, p.keyTables, p.keyLadders, head, b, j, 1.0f));
        widenRow<W>(v, packedV + j * padded, p.headDim, padded, 1.0f);
    }
    for (std::int64_t i = last * padded; i < packedRows(last) * padded; ++i) {
        packedK[i] = 0;
        packedV[i] = 0;
    }
}

// Fetches rows first … first+count−1 of a head of a tensor with `tokens` tokens.
template <bool writes, typename T, typename View>
HOLO_HD void prefetchRows(const View& x, std::int64_t b, std::int64_t head, std::int64_t first, std::int64_t count, std::int64_t tokens,
    std::int32_t dims)
{
    const std::int64_t last = first + count < tokens ? first + count : tokens;
    for (std::int64_t t = first; t < last; ++t)
        prefetchRow<writes>(rowOf<T>(x, b, t, head), dims);
}

// Fetches the keys and values of the task that most likely comes next, a stretch at a time while this one computes; only where they
// leave room in the second-level cache.
template <typename T>
HOLO_HD void prefetchNextKeys(const AttentionParams& p, std::int64_t b, std::int64_t keyHead, std::int64_t first, std::int64_t count)
{
    const bool lastHead = keyHead + 1 == p.keyHeads;
    if (p.keys * p.headDim * std::int64_t(sizeof(T)) > 65536 || (lastHead && b + 1 == p.batch))
        return;
    prefetchRows<false, T>(p.k, b + lastHead, lastHead ? 0 : keyHead + 1, first, count, p.keys, p.headDim);
    prefetchRows<false, T>(p.v, b + lastHead, lastHead ? 0 : keyHead + 1, first, count, p.keys, p.headDim);
}

}  // namespace
}  // namespace holo::kernels
