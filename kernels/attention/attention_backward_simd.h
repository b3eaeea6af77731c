#pragma once

#include "kernels/attention/attention_forward_simd.h"

// Backward: weights are recomputed from the logsumexp, a block of keys at a time, so that nothing of size queries × keys exists.
//   δ_i = ⟨dout_i, out_i⟩    P = exp(s − lse)    dS = P ∘ (dout vᵀ − δ)    dq = factor·dS k    dk = dSᵀ factor·q    dv = Pᵀ dout
// Included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

// Rows and lanes of the output's gradient, and δ of each query; zeros beyond `count`.
template <int W, std::int64_t block, typename T>
HOLO_HD void packOutputGradient(const AttentionWork& work, std::int64_t b, std::int64_t head, std::int64_t query, std::int64_t count,
    float* rows, float* lanes, float* spare, float* delta)
{
    const AttentionParams& p = work.params;
    const std::int64_t padded = paddedDim(p.headDim);
    for (std::int64_t i = 0; i < block; ++i) {
        float* row = rows + i * padded;
        delta[i] = 0;
        if (i >= count) {
            for (std::int64_t d = 0; d < padded; ++d)
                row[d] = 0;
            continue;
        }
        widenRow<W>(rowOf<T>(work.gradients.dout, b, query + i, head), row, p.headDim, padded, 1.0f);
        widenRow<W>(rowOf<T>(work.gradients.out, b, query + i, head), spare, p.headDim, padded, 1.0f);
        typename Simd<4>::F sum{};
        for (std::int64_t d = 0; d < padded; d += 4)
            sum = fma<4>(Simd<4>::load(row + d), Simd<4>::load(spare + d), sum);
        delta[i] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
    transposeIn<block>(rows, lanes, padded, padded);
}

template <int W, int N, typename T>
void backwardTask(const AttentionWork& work, std::int64_t task, float* scratchBegin)
{
    using S = Simd<W>;
    using F = typename S::F;
    constexpr std::int64_t block = W * N;
    const AttentionParams& p = work.params;
    const AttentionGradients& g = work.gradients;
    const std::int64_t keyHead = task % p.keyHeads;
    const std::int64_t b = task / p.keyHeads;
    const std::int64_t group = p.heads / p.keyHeads;
    const std::int64_t padded = paddedDim(p.headDim);
    const std::int64_t most = keyBlock(padded);

    Scratch scratch{scratchBegin};
    float* packedK = scratch.take(packedRows(p.keys) * padded);
    float* packedV = scratch.take(packedRows(p.keys) * padded);
    float* keyGradient = scratch.take(packedRows(p.keys) * padded);
    float* valueGradient = scratch.take(packedRows(p.keys) * padded);
    float* queryRows = scratch.take(block * padded);
    float* queryLanes = scratch.take(block * padded);
    float* outRows = scratch.take(block * padded);
    float* outLanes = scratch.take(block * padded);
    float* gradientLanes = scratch.take(block * padded);
    float* gradientRows = scratch.take(block * padded);
    float* weights = scratch.take(most * block);
    float* scoreGradients = scratch.take(most * block);

    packKeys<W, T>(p, b, keyHead, 0, p.keys, packedK, packedV);
    for (std::int64_t i = 0; i < packedRows(p.keys) * padded; ++i) {
        keyGradient[i] = 0;
        valueGradient[i] = 0;
    }

    for (std::int64_t head = keyHead * group; head < (keyHead + 1) * group; ++head) {
        const float slope = p.slopes ? p.slopes[head] * kLog2E : 0.0f;
        for (std::int64_t query = 0; query < p.queries; query += block) {
            const std::int64_t count = p.queries - query < block ? p.queries - query : block;
            float base[block], delta[block];
            packQueries<W, block, T>(p, b, head, query, count, queryRows, queryLanes);
            packOutputGradient<W, block, T>(work, b, head, query, count, outRows, outLanes, gradientRows, delta);
            prefetchNextKeys<T>(p, b, keyHead, query + p.keys - p.queries, block);
            prefetchRows<false, T>(p.q, b, head, query + block, block, p.queries, p.headDim);
            prefetchRows<false, T>(g.out, b, head, query + block, block, p.queries, p.headDim);
            prefetchRows<false, T>(g.dout, b, head, query + block, block, p.queries, p.headDim);
            prefetchRows<true, T>(g.dq, b, head, query, block, p.queries, p.headDim);
            for (std::int64_t i = 0; i < block; ++i) {
                const float sum = i < count ? g.logSumExp[(b * p.heads + head) * p.queries + query + i] : 0.0f;
                base[i] = sum == -__builtin_inff() ? 0.0f : sum * kLog2E;
            }
            for (std::int64_t i = 0; i < padded * block; ++i)
                gradientLanes[i] = 0;
            const Sight<W, N> sight(p, b, head, query, count);
            F own[N], shift[N], mean[N];
            ownPositions<W, N>(p, query, own);
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                shift[n] = S::load(base + n * W);
                mean[n] = S::load(delta + n * W);
            }
            for (std::int64_t key = sight.low, next; key < sight.high; key = next) {
                next = sight.pieceEnd(key, most);
                const bool masked = sight.masked(key);
                forTiles(next - key, [&](auto tile, std::int64_t j) __attribute__((always_inline)) {
                    constexpr int M = decltype(tile)::value;
                    float* weight = weights + j * block;
                    float* gradient = scoreGradients + j * block;
                    F s[M][N];
                    Tile<W, N>::dot(packedK + (key + j) * padded, queryLanes, p.headDim, padded, s);
                    HOLO_UNROLL
                    for (int m = 0; m < M; ++m) {
                        HOLO_UNROLL
                        for (int n = 0; n < N; ++n) {
                            if (slope != 0)
                                s[m][n] = fma<W>(S::set(slope), S::set(float(key + j + m)) - own[n], s[m][n]);
                            F x = exp2<W>(s[m][n] - shift[n]);
                            if (masked)
                                x = keepWhere<W>(sight.seen(key + j + m, n), x);
                            S::store(weight + m * block + n * W, x);
                        }
                    }
                    Tile<W, N>::dot(packedV + (key + j) * padded, outLanes, p.headDim, padded, s);
                    HOLO_UNROLL
                    for (int m = 0; m < M; ++m) {
                        HOLO_UNROLL
                        for (int n = 0; n < N; ++n) {
                            const F x = S::load(weight + m * block + n * W) * (s[m][n] - mean[n]);
                            S::store(gradient + m * block + n * W, x);
                        }
                    }
                });
                Tile<W, N>::accumulateAll(packedK + key * padded, scoreGradients, next - key, padded, gradientLanes);
                // Rows are padded to eight dims only, so sixteen lanes do not always fit.
                constexpr int narrow = W < 8 ? W : 8;
                const bool wide = padded % W == 0;
                const auto add = wide ? accumulateKeys<W, block> : accumulateKeys<narrow, block>;
                add(weights, outRows, next - key, padded, valueGradient + key * padded);
                add(scoreGradients, queryRows, next - key, padded, keyGradient + key * padded);
            }
            transposeOut<block>(gradientLanes, gradientRows, padded, padded);
            for (std::int64_t i = 0; i < count; ++i) {
                float* row = gradientRows + i * padded;
                const float factor = queryFactor(p, head, query + i);
                for (std::int64_t d = 0; d < padded; ++d)
                    row[d] *= factor;
                rotatePacked<W>(row, rotationOf(p, p.queryTables, p.queryLadders, head, b, query + i + p.keys - p.queries, -1.0f));
                narrowRow<W>(row, rowOf<T>(g.dq, b, query + i, head), p.headDim);
            }
        }
    }
    for (std::int64_t j = 0; j < p.keys; ++j) {
        float* row = keyGradient + j * padded;
        if (j + kPrefetchRows < p.keys) {
            prefetchRow<true>(rowOf<T>(g.dk, b, j + kPrefetchRows, keyHead), p.headDim);
            prefetchRow<true>(rowOf<T>(g.dv, b, j + kPrefetchRows, keyHead), p.headDim);
        }
        for (std::int64_t d = 0; d < padded; ++d)
            row[d] *= kLn2;  // the packed queries carry log2 e
        rotatePacked<W>(row, rotationOf(p, p.keyTables, p.keyLadders, keyHead, b, j, -1.0f));
        narrowRow<W>(row, rowOf<T>(g.dk, b, j, keyHead), p.headDim);
        narrowRow<W>(valueGradient + j * padded, rowOf<T>(g.dv, b, j, keyHead), p.headDim);
    }
}

template <int W, int N>
HOLO_HD void attentionBackwardOf(const AttentionWork& work, std::int64_t task, float* scratch)
{
    if (work.params.dtype == Dtype::BFloat16)
        backwardTask<W, N, BFloat16>(work, task, scratch);
    else if (work.params.dtype == Dtype::Float16)
        backwardTask<W, N, Float16>(work, task, scratch);
    else
        backwardTask<W, N, float>(work, task, scratch);
}

}  // namespace
}  // namespace holo::kernels
