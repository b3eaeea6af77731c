#pragma once

#include "kernels/attention/attention_pack_simd.h"
#include "kernels/attention/attention_tile_simd.h"

// Forward: online softmax over key blocks, base 2 (log2 e is folded into the packed queries).
// Included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

constexpr float kLog2E = 1.44269504088896340736f;
constexpr float kLn2 = 0.693147180559945309417f;
// Score of a masked key: far below any score, and finite, so that differences of two of them are 0 and not NaN.
constexpr float kMasked = -1e30f;

// Hands out pieces of a task's scratch.
struct Scratch {
    float* next;
    HOLO_HD float* take(std::int64_t floats)
    {
        float* here = next;
        next += (floats + 15) / 16 * 16;
        return here;
    }
};

// Factor of query i before the softmax, in the natural base.
HOLO_HD float queryFactor(const AttentionParams& p, std::int64_t head, std::int64_t i)
{
    return p.scale * (p.headScale ? p.headScale[head] : 1.0f) * (p.queryScale ? p.queryScale[i] : 1.0f);
}

// Packs `count` queries as rows and lanes, scaled and rotated; the rest of the block becomes zeros.
template <int W, std::int64_t block, typename T>
HOLO_HD void packQueries(const AttentionParams& p, std::int64_t b, std::int64_t head, std::int64_t query, std::int64_t count, float* rows,
    float* lanes)
{
    const std::int64_t padded = paddedDim(p.headDim);
    for (std::int64_t i = 0; i < count; ++i) {
        float* row = rows + i * padded;
        widenRow<W>(rowOf<T>(p.q, b, query + i, head), row, p.headDim, padded, queryFactor(p, head, query + i) * kLog2E);
        rotatePacked<W>(row, rotationOf(p, p.queryTables, p.queryLadders, head, b, query + i + p.keys - p.queries, 1.0f));
    }
    for (std::int64_t i = count * padded; i < block * padded; ++i)
        rows[i] = 0;
    transposeIn<block>(rows, lanes, padded, padded);
}

// Positions of a block's queries as lanes, for the distance that a slope multiplies.
template <int W, int N>
HOLO_HD void ownPositions(const AttentionParams& p, std::int64_t query, typename Simd<W>::F (&own)[N])
{
    float x[W * N];
    for (std::int64_t i = 0; i < W * N; ++i)
        x[i] = float(query + i + p.keys - p.queries);
    HOLO_UNROLL
    for (int n = 0; n < N; ++n)
        own[n] = Simd<W>::load(x + n * W);
}

// First key that any query of the stretch that begins at `query` may see through the windows of its heads.
HOLO_HD std::int64_t firstPackedKey(const AttentionParams& p, std::int64_t query, std::int64_t firstHead, std::int64_t heads)
{
    std::int64_t widest = 0;
    for (std::int64_t h = firstHead; h < firstHead + heads; ++h) {
        if (!p.windows || p.windows[h] <= 0)
            return 0;
        widest = p.windows[h] > widest ? p.windows[h] : widest;
    }
    const std::int64_t first = query + p.keys - p.queries - widest + 1;
    return first > 0 ? first & ~std::int64_t(3) : 0;
}

template <int W, int N, typename T>
void forwardTask(const AttentionWork& work, std::int64_t task, float* scratchBegin)
{
    using S = Simd<W>;
    using F = typename S::F;
    constexpr std::int64_t block = W * N;
    const AttentionParams& p = work.params;
    const std::int64_t chunk = task % work.tasks.chunks;
    const std::int64_t keyHead = task / work.tasks.chunks % p.keyHeads;
    const std::int64_t b = task / work.tasks.chunks / p.keyHeads;
    const std::int64_t group = p.heads / p.keyHeads;
    const std::int64_t begin = chunk * work.tasks.chunkQueries;
    const std::int64_t end = begin + work.tasks.chunkQueries < p.queries ? begin + work.tasks.chunkQueries : p.queries;
    const std::int64_t padded = paddedDim(p.headDim);
    const std::int64_t most = keyBlock(padded);

    Scratch scratch{scratchBegin};
    float* packedK = scratch.take(packedRows(p.keys) * padded);
    float* packedV = scratch.take(packedRows(p.keys) * padded);
    float* rows = scratch.take(block * padded);
    float* queryLanes = scratch.take(block * padded);
    float* outLanes = scratch.take(block * padded);
    float* scores = scratch.take(most * block);

    const std::int64_t firstKey = firstPackedKey(p, begin, keyHead * group, group);
    const std::int64_t lastKey = end + p.keys - p.queries;
    packKeys<W, T>(p, b, keyHead, firstKey, lastKey, packedK, packedV);

    for (std::int64_t head = keyHead * group; head < (keyHead + 1) * group; ++head) {
        const float slope = p.slopes ? p.slopes[head] * kLog2E : 0.0f;
        for (std::int64_t query = begin; query < end; query += block) {
            const std::int64_t count = end - query < block ? end - query : block;
            packQueries<W, block, T>(p, b, head, query, count, rows, queryLanes);
            prefetchNextKeys<T>(p, b, keyHead, query + p.keys - p.queries, block);
            prefetchRows<false, T>(p.q, b, head, query + block, block, end, p.headDim);
            prefetchRows<true, T>(work.out, b, head, query, block, end, p.headDim);
            for (std::int64_t i = 0; i < padded * block; ++i)
                outLanes[i] = 0;
            const Sight<W, N> sight(p, b, head, query, count);
            F own[N], top[N], sum[N];
            ownPositions<W, N>(p, query, own);
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                top[n] = S::set(kMasked);
                sum[n] = F{};
            }
            for (std::int64_t key = sight.low, next; key < sight.high; key = next) {
                next = sight.pieceEnd(key, most);
                const bool masked = sight.masked(key);
                F newTop[N];
                HOLO_UNROLL
                for (int n = 0; n < N; ++n)
                    newTop[n] = top[n];
                forTiles(next - key, [&](auto tile, std::int64_t j) __attribute__((always_inline)) {
                    constexpr int M = decltype(tile)::value;
                    F s[M][N];
                    Tile<W, N>::dot(packedK + (key + j) * padded, queryLanes, p.headDim, padded, s);
                    HOLO_UNROLL
                    for (int m = 0; m < M; ++m) {
                        HOLO_UNROLL
                        for (int n = 0; n < N; ++n) {
                            if (slope != 0)
                                s[m][n] = fma<W>(S::set(slope), S::set(float(key + j + m)) - own[n], s[m][n]);
                            if (masked)
                                s[m][n] = sight.seen(key + j + m, n) ? s[m][n] : S::set(kMasked);
                            newTop[n] = maxOf<W>(s[m][n], newTop[n]);
                            S::store(scores + (j + m) * block + n * W, s[m][n]);
                        }
                    }
                });
                HOLO_UNROLL
                for (int n = 0; n < N; ++n) {
                    const F shrink = exp2<W>(top[n] - newTop[n]);
                    top[n] = newTop[n];
                    sum[n] *= shrink;
                    if (key != sight.low) {
                        for (std::int64_t d = 0; d < padded; ++d) {
                            float* lane = outLanes + d * block + n * W;
                            S::store(lane, S::load(lane) * shrink);
                        }
                    }
                }
                for (std::int64_t j = key; j < next; ++j) {
                    HOLO_UNROLL
                    for (int n = 0; n < N; ++n) {
                        float* score = scores + (j - key) * block + n * W;
                        F weight = exp2<W>(S::load(score) - top[n]);
                        if (masked)
                            weight = keepWhere<W>(sight.seen(j, n), weight);
                        sum[n] += weight;
                        S::store(score, weight);
                    }
                }
                Tile<W, N>::accumulateAll(packedV + key * padded, scores, next - key, padded, outLanes);
            }
            float total[block], largest[block];
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                // 0 only where no key was seen; NaN stays NaN.
                const F inverse = keepWhere<W>(sum[n] != F{}, S::set(1.0f) / sum[n]);
                for (std::int64_t d = 0; d < padded; ++d) {
                    float* lane = outLanes + d * block + n * W;
                    S::store(lane, S::load(lane) * inverse);
                }
                S::store(total + n * W, sum[n]);
                S::store(largest + n * W, top[n]);
            }
            transposeOut<block>(outLanes, rows, padded, padded);
            for (std::int64_t i = 0; i < count; ++i) {
                narrowRow<W>(rows + i * padded, rowOf<T>(work.out, b, query + i, head), p.headDim);
                if (work.logSumExp)
                    work.logSumExp[(b * p.heads + head) * p.queries + query + i]
                        = total[i] == 0 ? -__builtin_inff() : (largest[i] + __builtin_log2f(total[i])) * kLn2;
            }
        }
    }
}

template <int W, int N>
HOLO_HD void attentionForwardOf(const AttentionWork& work, std::int64_t task, float* scratch)
{
    if (work.params.dtype == Dtype::BFloat16)
        forwardTask<W, N, BFloat16>(work, task, scratch);
    else if (work.params.dtype == Dtype::Float16)
        forwardTask<W, N, Float16>(work, task, scratch);
    else
        forwardTask<W, N, float>(work, task, scratch);
}

}  // namespace
}  // namespace holo::kernels
