#pragma once

#include "kernels/common/simd.h"
#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_math.h"
#include "kernels/rotary/rotary_rows.h"

// The CPU rotation for vectors of W floats; included by one source file per instruction set (see simd.h on linkage).
namespace holo::kernels {
namespace {

// One table row and the heads it serves.
template <typename T>
struct Row {
    const T* input;
    T* output;
    const std::int64_t* inputOffsets;
    const std::int64_t* outputOffsets;
    std::int32_t heads;
    const float* cosines;
    const float* sines;
    std::int32_t planes;
    float sign;          // of the sine
    std::int64_t ahead;  // elements to the same head of the next token
};

// Planes first … first + W·N − 1 of every head of the row, the table in registers. The next token's row is fetched meanwhile: heads of
// one ladder leave gaps that no hardware prefetcher follows.
template <int W, int N, Pairing P, typename T>
HOLO_HD void rotateBlock(const Row<T>& row, std::int32_t first)
{
    using S = Simd<W>;
    using X = Interleave<W>;
    using Two = Pair<W, T>;
    using F = typename S::F;
    constexpr bool halves = P == Pairing::HalfSplit;
    constexpr std::int32_t bytes = std::int32_t(sizeof(T)) * N * W;
    F c[N], s[N];
    HOLO_UNROLL
    for (int n = 0; n < N; ++n) {
        c[n] = S::load(row.cosines + first + n * W);
        s[n] = S::load(row.sines + first + n * W) * row.sign;
        if (!halves && !Two::kTakesTurns) {
            c[n] = X::order(c[n]);
            s[n] = X::order(s[n]);
        }
        if (halves && n % 2 == 1) {
            Two::order(c[n - 1], c[n]);
            Two::order(s[n - 1], s[n]);
        }
    }
    for (std::int32_t h = 0; h < row.heads; ++h) {
        const T* in = row.input + row.inputOffsets[h] + (halves ? first : 2 * first);
        T* out = row.output + row.outputOffsets[h] + (halves ? first : 2 * first);
        const std::int32_t second = halves ? row.planes : N * W;
        HOLO_UNROLL
        for (std::int32_t at = 0; at < bytes; at += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(in + row.ahead) + at);
            __builtin_prefetch(reinterpret_cast<const char*>(in + row.ahead + second) + at);
        }
        if constexpr (!halves) {
            HOLO_UNROLL
            for (int n = 0; n < N; ++n) {
                F a, b, x0, x1;
                Two::load(in + 2 * n * W, a, b);
                X::split(a, b, x0, x1);
                rotatePair(x0, x1, c[n], s[n]);
                X::join(x0, x1, a, b);
                Two::store(out + 2 * n * W, a, b);
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
HOLO_HD void rotateRest(const Row<T>& row, std::int32_t first)
{
    for (std::int32_t h = 0; h < row.heads; ++h) {
        const T* in = row.input + row.inputOffsets[h];
        T* out = row.output + row.outputOffsets[h];
        for (std::int32_t j = first; j < row.planes; ++j) {
            const std::int32_t i0 = P == Pairing::HalfSplit ? j : 2 * j;
            const std::int32_t i1 = P == Pairing::HalfSplit ? j + row.planes : 2 * j + 1;
            Value x0 = toFloat(in[i0]);
            Value x1 = toFloat(in[i1]);
            rotatePair(x0, x1, Value(row.cosines[j]), Value(row.sines[j] * row.sign));
            fromFloat(x0, out[i0]);
            fromFloat(x1, out[i1]);
        }
    }
}

// Whole vectors in blocks of four, two and one, then the same with half the width, then single planes.
template <int W, Pairing P, typename T>
HOLO_HD void rotateRow(const Row<T>& row, std::int32_t first)
{
    for (; first + 4 * W <= row.planes; first += 4 * W)
        rotateBlock<W, 4, P>(row, first);
    if (first + 2 * W <= row.planes) {
        rotateBlock<W, 2, P>(row, first);
        first += 2 * W;
    }
    if (first + W <= row.planes) {
        rotateBlock<W, 1, P>(row, first);
        first += W;
    }
    if constexpr (W > 4)
        rotateRow<W / 2, P>(row, first);
    else
        rotateRest<P, T, float>(row, first);
}

template <typename T>
HOLO_HD void copyDims(const Row<T>& row, std::int32_t begin, std::int32_t end)
{
    for (std::int32_t h = 0; h < row.heads; ++h) {
        const T* in = row.input + row.inputOffsets[h];
        T* out = row.output + row.outputOffsets[h];
        for (std::int32_t i = begin; i < end; ++i)
            out[i] = in[i];
    }
}

template <int W, Pairing P, typename T>
void rotateItems(const RowPlan& plan, std::int64_t begin, std::int64_t end)
{
    const RotaryParams& p = plan.params;
    const RotaryItems items{p.batch, p.tokens};
    Row<T> row;
    row.planes = p.rotaryDim / 2;
    row.sign = p.direction == Direction::Forward ? 1.0f : -1.0f;
    for (std::int64_t item = begin; item < end; ++item) {
        const std::int64_t b = items.batchRow(item);
        for (std::int64_t t = items.firstToken(item); t < items.lastToken(item); ++t) {
            const std::int64_t tableRow = p.positions.at(b, t) * row.planes;
            for (std::int32_t r = 0; r < plan.runCount; ++r) {
                const HeadRun& run = plan.runs[r];
                row.input = static_cast<const T*>(run.heads->input)
                    + rotaryOffset(run.heads->inputBatch, run.heads->inputToken, 0, b, t, 0);
                row.output = static_cast<T*>(run.heads->output)
                    + rotaryOffset(run.heads->outputBatch, run.heads->outputToken, 0, b, t, 0);
                row.inputOffsets = run.inputOffsets;
                row.outputOffsets = run.outputOffsets;
                row.heads = run.count;
                row.ahead = run.heads->inputToken;
                if (run.cosines) {
                    row.cosines = run.cosines + tableRow;
                    row.sines = run.sines + tableRow;
                    if constexpr (sizeof(T) == 8)
                        rotateRest<P, T, double>(row, 0);
                    else
                        rotateRow<W, P>(row, 0);
                }
                if (run.copies)
                    copyDims(row, run.cosines ? p.rotaryDim : 0, p.headDim);
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
