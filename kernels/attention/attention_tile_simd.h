#pragma once

#include "kernels/attention/attention_work.h"
#include "kernels/common/simd_math.h"

// The inner loops of attention. Lanes are queries: a score tile holds 4 keys × N vectors of W queries, so that maximum, exponential
// and sums of a row need no shuffles, and a causal edge is a comparison of lanes. Layouts, all dense floats:
//   rows    [key][padded dim]          packed k and v, gradients of both
//   lanes   [dim][query]               packed q, output, gradients of output and of q
//   scores  [key][query]
// Included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

template <int M>
struct Rows {
    static constexpr int value = M;
};

// Calls tile(Rows<M>, first) over `count` rows, a multiple of four: six at a time, the last four or eight by fours. Six rows and two
// vectors fill twelve of sixteen registers with sums, which is what keeps two multipliers busy.
template <typename Function>
HOLO_HD void forTiles(std::int64_t count, Function tile)
{
    std::int64_t first = 0;
    for (; count - first >= 6 && count - first != 8; first += 6)
        tile(Rows<6>{}, first);
    for (; first < count; first += 4)
        tile(Rows<4>{}, first);
}

template <int W, int N>
struct Tile {
    using S = Simd<W>;
    using F = typename S::F;
    using I = typename S::I;
    static constexpr std::int64_t kQueries = W * N;

    // sum[m][n] = Σ_d rows[m][d] · lanes[d][n] for M rows.
    template <int M>
    static HOLO_HD void dot(const float* rows, const float* lanes, std::int64_t dims, std::int64_t padded, F (&sum)[M][N])
    {
        HOLO_UNROLL
        for (int m = 0; m < M; ++m) {
            HOLO_UNROLL
            for (int n = 0; n < N; ++n)
                sum[m][n] = F{};
        }
        for (std::int64_t d = 0; d < dims; ++d) {
            F x[N];
            HOLO_UNROLL
            for (int n = 0; n < N; ++n)
                x[n] = S::load(lanes + d * kQueries + n * W);
            HOLO_UNROLL
            for (int m = 0; m < M; ++m) {
                const F y = S::set(rows[m * padded + d]);
                HOLO_UNROLL
                for (int n = 0; n < N; ++n)
                    sum[m][n] = fma<W>(y, x[n], sum[m][n]);
            }
        }
    }

    // lanes[d][·] += Σ_j rows[j][d] · scores[j][·] over `keys` rows, for M dims.
    template <int M>
    static HOLO_HD void accumulate(const float* rows, const float* scores, std::int64_t keys, std::int64_t padded, float* lanes)
    {
        F sum[M][N];
        HOLO_UNROLL
        for (int m = 0; m < M; ++m) {
            HOLO_UNROLL
            for (int n = 0; n < N; ++n)
                sum[m][n] = S::load(lanes + m * kQueries + n * W);
        }
        for (std::int64_t j = 0; j < keys; ++j) {
            F x[N];
            HOLO_UNROLL
            for (int n = 0; n < N; ++n)
                x[n] = S::load(scores + j * kQueries + n * W);
            HOLO_UNROLL
            for (int m = 0; m < M; ++m) {
                const F y = S::set(rows[j * padded + m]);
                HOLO_UNROLL
                for (int n = 0; n < N; ++n)
                    sum[m][n] = fma<W>(y, x[n], sum[m][n]);
            }
        }
        HOLO_UNROLL
        for (int m = 0; m < M; ++m) {
            HOLO_UNROLL
            for (int n = 0; n < N; ++n)
                S::store(lanes + m * kQueries + n * W, sum[m][n]);
        }
    }

    // The same for all padded dims.
    static HOLO_HD void accumulateAll(const float* rows, const float* scores, std::int64_t keys, std::int64_t padded, float* lanes)
    {
        forTiles(padded, [&](auto tile, std::int64_t d) __attribute__((always_inline)) {
            accumulate<decltype(tile)::value>(rows + d, scores, keys, padded, lanes + d * kQueries);
        });
    }
};

// rows[j][·] += Σ_i scores[j][i] · queryRows[i][·] for M keys and C vectors of dims; here lanes are dims.
template <int W, int M, int C, std::int64_t queries>
HOLO_HD void accumulateRows(const float* scores, const float* queryRows, std::int64_t padded, float* rows)
{
    using S = Simd<W>;
    typename S::F sum[M][C];
    HOLO_UNROLL
    for (int m = 0; m < M; ++m) {
        HOLO_UNROLL
        for (int c = 0; c < C; ++c)
            sum[m][c] = S::load(rows + m * padded + c * W);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
        typename S::F x[C];
        HOLO_UNROLL
        for (int c = 0; c < C; ++c)
            x[c] = S::load(queryRows + i * padded + c * W);
        HOLO_UNROLL
        for (int m = 0; m < M; ++m) {
            const typename S::F y = S::set(scores[m * queries + i]);
            HOLO_UNROLL
            for (int c = 0; c < C; ++c)
                sum[m][c] = fma<W>(y, x[c], sum[m][c]);
        }
    }
    HOLO_UNROLL
    for (int m = 0; m < M; ++m) {
        HOLO_UNROLL
        for (int c = 0; c < C; ++c)
            S::store(rows + m * padded + c * W, sum[m][c]);
    }
}

// The same for a block of keys (a multiple of four) and all dims (a multiple of W). An odd last column of vectors takes eight keys at
// a time: it needs as many sums to keep the multipliers busy.
template <int W, std::int64_t queries>
void accumulateKeys(const float* scores, const float* queryRows, std::int64_t keys, std::int64_t padded, float* rows)
{
    forTiles(keys, [&](auto tile, std::int64_t j) __attribute__((always_inline)) {
        for (std::int64_t d = 0; d + 2 * W <= padded; d += 2 * W)
            accumulateRows<W, decltype(tile)::value, 2, queries>(scores + j * queries, queryRows + d, padded, rows + j * padded + d);
    });
    const std::int64_t d = padded / (2 * W) * 2 * W;
    if (d == padded)
        return;
    std::int64_t j = 0;
    for (; j + 8 <= keys; j += 8)
        accumulateRows<W, 8, 1, queries>(scores + j * queries, queryRows + d, padded, rows + j * padded + d);
    if (j < keys)
        accumulateRows<W, 4, 1, queries>(scores + j * queries, queryRows + d, padded, rows + j * padded + d);
}

// Which keys the queries of a block see: lane i those from first[i] to last[i]. Keys low … high−1 (multiples of four) hold all of
// them; those from freeLow to freeHigh are seen by every query, so that no mask is needed there.
template <int W, int N>
struct Sight {
    using I = typename Simd<W>::I;
    I first[N], last[N];
    std::int64_t low = 0, high = 0, freeLow = 0, freeHigh = 0;

    HOLO_HD Sight(const AttentionParams& p, std::int64_t b, std::int64_t head, std::int64_t query, std::int64_t count)
    {
        std::int32_t from[W * N], to[W * N];
        const std::int64_t window = p.windows ? p.windows[head] : 0;
        std::int64_t lowest = p.keys, highestFirst = 0;
        for (std::int64_t i = 0; i < W * N; ++i) {
            from[i] = 0;
            to[i] = -1;
            if (i >= count)
                continue;
            const std::int64_t own = query + i + p.keys - p.queries;
            std::int64_t least = window > 0 && own - window + 1 > 0 ? own - window + 1 : 0;
            if (p.firstKey) {
                const std::int64_t given = p.firstKey[b * p.firstKeyBatchStride + query + i];
                least = given > least ? given : least;
            }
            from[i] = std::int32_t(least < p.keys ? least : p.keys);
            to[i] = std::int32_t(own);
            lowest = least < lowest ? least : lowest;
            highestFirst = least > highestFirst ? least : highestFirst;
        }
        memcpy(first, from, sizeof first);
        memcpy(last, to, sizeof last);
        const std::int64_t own = query + p.keys - p.queries;
        low = lowest & ~std::int64_t(3);
        high = (own + count + 3) & ~std::int64_t(3);
        freeLow = (highestFirst + 3) & ~std::int64_t(3);
        freeHigh = (own + 1) & ~std::int64_t(3);
        if (freeLow >= freeHigh)
            freeLow = freeHigh = high;
    }

    HOLO_HD bool masked(std::int64_t key) const { return key < freeLow || key >= freeHigh; }

    HOLO_HD I seen(std::int64_t key, int n) const
    {
        const std::int32_t k = std::int32_t(key);
        return (first[n] <= k) & (last[n] >= k);
    }

    // End of the longest piece from `key` on that is all free or all masked and at most `most` keys long.
    HOLO_HD std::int64_t pieceEnd(std::int64_t key, std::int64_t most) const
    {
        const std::int64_t edge = key < freeLow ? freeLow : key < freeHigh ? freeHigh : high;
        const std::int64_t end = key + most;
        return end < edge ? end : edge;
    }
};

}  // namespace
}  // namespace holo::kernels
