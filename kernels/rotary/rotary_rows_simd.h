#pragma once

#include "kernels/common/simd.h"
#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_math.h"
#include "kernels/rotary/rotary_rows.h"

// The CPU rotation for vectors of W floats; included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

// Some planes of one token's heads.
template <typename T>
struct Row {
    const T* input;  // of the token
    T* output;
    const RowHead* heads;
    std::int32_t count;
    std::int32_t planes;  // of a head
    std::int32_t first;   // plane of the first staged one
    const float* tables;  // staged cosines of each ladder and, kStagedPlanes further on, sines
    std::int64_t ahead;   // elements to the same head of the next token
};

// Stages `count` planes of one ladder: cosines and sines as rotateRow() takes them.
template <int W, Pairing P, typename T>
HOLO_HD void stage(const float* cosines, const float* sines, float sign, std::int32_t count, float* to)
{
    using S = Simd<W>;
    using X = Interleave<W>;
    using Two = Pair<W, T>;
    using F = typename S::F;
    constexpr bool halves = P == Pairing::HalfSplit;
    const auto take = [](const float* from, float factor) __attribute__((always_inline)) {
        F x = S::load(from) * factor;
        if constexpr (Two::kAlternates)
            x = Two::quiet(x);
        else if constexpr (!halves)
            x = X::order(x);
        return x;
    };
    const auto one = [&](const float* from, float factor, float* at) __attribute__((always_inline)) { S::store(at, take(from, factor)); };
    const auto two = [&](const float* from, float factor, float* at) __attribute__((always_inline)) {
        F x = take(from, factor), y = take(from + W, factor);
        if constexpr (halves)
            Two::order(x, y);
        S::store(at, x);
        S::store(at + W, y);
    };
    std::int32_t j = 0;
    for (; j + 2 * W <= count; j += 2 * W) {
        two(cosines + j, 1.0f, to + j);
        two(sines + j, sign, to + kStagedPlanes + j);
    }
    if (j + W <= count) {
        one(cosines + j, 1.0f, to + j);
        one(sines + j, sign, to + kStagedPlanes + j);
        j += W;
    }
    if constexpr (W > 4) {
        stage<W / 2, P, T>(cosines + j, sines + j, sign, count - j, to + j);
    } else {
        for (; j < count; ++j) {
            to[j] = cosines[j];
            to[kStagedPlanes + j] = sines[j] * sign;
        }
    }
}

// Staged planes j … j + W·N − 1 of every head, in registers from one head of a ladder to the next. The next token's are fetched meanwhile.
template <int W, int N, Pairing P, typename T>
HOLO_HD void rotateBlock(const Row<T>& row, std::int32_t j)
{
    using S = Simd<W>;
    using X = Interleave<W>;
    using Two = Pair<W, T>;
    using F = typename S::F;
    constexpr bool halves = P == Pairing::HalfSplit;
    constexpr std::int32_t bytes = std::int32_t(sizeof(T)) * N * W;
    const std::int32_t first = halves ? row.first + j : 2 * (row.first + j);
    const std::int32_t second = halves ? row.planes : N * W;
    const float* tables = row.tables + j;
    std::int32_t staged = -1;
    F c[N] = {}, s[N] = {};
    for (std::int32_t h = 0; h < row.count; ++h) {
        const RowHead& head = row.heads[h];
        const T* in = row.input + head.input + first;
        T* out = row.output + head.output + first;
        const T* next = row.input + row.ahead + head.fetched + first;
        if (head.staged != staged) {
            staged = head.staged;
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                c[n] = S::load(tables + staged + n * W);
                s[n] = S::load(tables + staged + kStagedPlanes + n * W);
            }
        }
        HOLO_UNROLL
        for (std::int32_t at = 0; at < bytes; at += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(next) + at);
            __builtin_prefetch(reinterpret_cast<const char*>(next + second) + at);
        }
        if constexpr (!halves) {
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                F a, b, x0, x1;
                if constexpr (Two::kAlternates) {
                    Two::load(in + 2 * n * W, x0, x1);
                    rotatePair(x0, x1, c[n], s[n]);
                    Two::store(out + 2 * n * W, x0, x1);
                } else {
                    Two::load(in + 2 * n * W, a, b);
                    X::split(a, b, x0, x1);
                    rotatePair(x0, x1, c[n], s[n]);
                    X::join(x0, x1, a, b);
                    Two::store(out + 2 * n * W, a, b);
                }
            }
        } else if constexpr (N == 1) {
            F x0 = S::load(in), x1 = S::load(in + second);
            rotatePair(x0, x1, c[0], s[0]);
            S::store(out, x0);
            S::store(out + second, x1);
        } else {
            HOLO_UNROLL
            for (int n = 0; n < N; n += 2) {
                F x0, x1, y0, y1;
                Two::load(in + n * W, x0, y0);
                Two::load(in + second + n * W, x1, y1);
                rotatePair(x0, x1, c[n], s[n]);
                rotatePair(y0, y1, c[n + 1], s[n + 1]);
                Two::store(out + n * W, x0, y0);
                Two::store(out + second + n * W, x1, y1);
            }
        }
    }
}

template <Pairing P, typename T, typename Value>
HOLO_HD void rotateRest(const Row<T>& row, std::int32_t begin, std::int32_t end)
{
    for (std::int32_t h = 0; h < row.count; ++h) {
        const T* in = row.input + row.heads[h].input;
        T* out = row.output + row.heads[h].output;
        const float* tables = row.tables + row.heads[h].staged;
        for (std::int32_t j = begin; j < end; ++j) {
            const std::int32_t plane = row.first + j;
            const std::int32_t i0 = P == Pairing::HalfSplit ? plane : 2 * plane;
            const std::int32_t i1 = P == Pairing::HalfSplit ? plane + row.planes : 2 * plane + 1;
            Value x0 = toFloat(in[i0]);
            Value x1 = toFloat(in[i1]);
            rotatePair(x0, x1, Value(tables[j]), Value(tables[kStagedPlanes + j]));
            fromFloat(x0, out[i0]);
            fromFloat(x1, out[i1]);
        }
    }
}

// Whole vectors in blocks of four, two and one, then the same with half the width, then single planes.
template <int W, Pairing P, typename T>
HOLO_HD void rotateRow(const Row<T>& row, std::int32_t j, std::int32_t count)
{
    for (; j + 4 * W <= count; j += 4 * W)
        rotateBlock<W, 4, P>(row, j);
    if (j + 2 * W <= count) {
        rotateBlock<W, 2, P>(row, j);
        j += 2 * W;
    }
    if (j + W <= count) {
        rotateBlock<W, 1, P>(row, j);
        j += W;
    }
    if constexpr (W > 4)
        rotateRow<W / 2, P>(row, j, count);
    else
        rotateRest<P, T, float>(row, j, count);
}

template <typename T>
HOLO_HD void copyDims(const Row<T>& row, std::int32_t begin, std::int32_t end)
{
    for (std::int32_t h = 0; h < row.count; ++h) {
        const T* in = row.input + row.heads[h].input;
        T* out = row.output + row.heads[h].output;
        for (std::int32_t i = begin; i < end; ++i)
            out[i] = in[i];
    }
}

template <int W, Pairing P, typename T>
void rotateItems(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    const RotaryParams& p = plan.params;
    const RotaryItems items{p.batch, p.tokens};
    const float sign = p.direction == Direction::Forward ? 1.0f : -1.0f;
    alignas(64) float tables[kStagedLadders * 2 * kStagedPlanes];
    Row<T> row;
    row.planes = p.rotaryDim / 2;
    row.tables = tables;
    for (std::int64_t item = begin; item < end; ++item) {
        const std::int64_t b = items.batchRow(item);
        for (std::int64_t t = items.firstToken(item); t < items.lastToken(item); ++t) {
            const std::int64_t tableRow = p.positions.at(b, t) * row.planes;
            for (std::int32_t r = 0; r < plan.runCount; ++r) {
                const HeadRun& run = plan.runs[r];
                row.input = static_cast<const T*>(run.group->input)
                    + rotaryOffset(run.group->inputBatch, run.group->inputToken, 0, b, t, 0);
                row.output = static_cast<T*>(run.group->output)
                    + rotaryOffset(run.group->outputBatch, run.group->outputToken, 0, b, t, 0);
                row.heads = run.heads;
                row.count = run.count;
                row.ahead = run.group->inputToken;
                for (row.first = 0; run.ladders > 0 && row.first < row.planes; row.first += kStagedPlanes) {
                    const std::int32_t count = row.planes - row.first < kStagedPlanes ? row.planes - row.first : kStagedPlanes;
                    for (std::int32_t l = 0; l < run.ladders && !run.staged; ++l) {
                        const std::int64_t from = run.ladderRows[l] + tableRow + row.first;
                        float* to = tables + l * 2 * kStagedPlanes;
                        if constexpr (sizeof(T) == 8) {
                            for (std::int32_t j = 0; j < count; ++j) {
                                to[j] = run.group->tables.cosines[from + j];
                                to[kStagedPlanes + j] = run.group->tables.sines[from + j] * sign;
                            }
                        } else {
                            stage<W, P, T>(run.group->tables.cosines + from, run.group->tables.sines + from, sign, count, to);
                        }
                    }
                    if constexpr (sizeof(T) == 8)
                        rotateRest<P, T, double>(row, 0, count);
                    else
                        rotateRow<W, P>(row, 0, count);
                }
                if (run.copies)
                    copyDims(row, run.ladders > 0 ? p.rotaryDim : 0, p.headDim);
            }
        }
    }
}

template <int W, typename T>
HOLO_HD void rotateTyped(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    if (plan.params.pairing == Pairing::HalfSplit)
        rotateItems<W, Pairing::HalfSplit, T>(plan, begin, end);
    else
        rotateItems<W, Pairing::Interleaved, T>(plan, begin, end);
}

template <int W>
HOLO_HD void rotateRows(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    switch (plan.params.dtype) {
    case Dtype::Float32:
        return rotateTyped<W, float>(plan, begin, end);
    case Dtype::BFloat16:
        return rotateTyped<W, BFloat16>(plan, begin, end);
    case Dtype::Float16:
        return rotateTyped<W, Float16>(plan, begin, end);
    case Dtype::Float64:
        return rotateTyped<W, double>(plan, begin, end);
    }
}

}  // namespace
}  // namespace holo::kernels
