#pragma once

#include "kernels/attention/attention.h"
#include "tests/kernels/values.h"

#include <QTest>

#include <functional>
#include <string>

namespace holo::kernels::test {

struct AttentionCase {
    std::string name;
    int batch = 2, queries = 37, keys = 37, heads = 4, keyHeads = 4, headDim = 16, rotaryDim = 16;
    Pairing pairing = Pairing::HalfSplit;
    bool slopes = false, windows = false, firstKeys = false, temperatures = false, positions = false;
};

inline std::vector<AttentionCase> attentionCases()
{
    std::vector<AttentionCase> cases = {
        {"plain"},
        {"one token", 1, 1, 1, 1, 1, 8, 8},
        {"two tokens, one head", 1, 2, 2, 1, 1, 8, 8},
        {"grouped keys", 2, 40, 40, 6, 2, 24, 24},
        {"one key head", 1, 33, 33, 5, 1, 16, 16},
        {"interleaved", 2, 37, 37, 4, 4, 16, 16, Pairing::Interleaved},
        {"partial width", 2, 37, 37, 4, 4, 40, 12},
        {"no rotation", 2, 37, 37, 4, 4, 40, 0},
        {"odd head size", 1, 21, 21, 2, 2, 11, 6, Pairing::Interleaved},
        {"slopes", 2, 70, 70, 4, 4, 16, 0, Pairing::HalfSplit, true},
        {"windows", 2, 90, 90, 4, 2, 16, 16, Pairing::HalfSplit, false, true},
        {"first keys, some rows see none", 3, 50, 50, 4, 4, 16, 16, Pairing::HalfSplit, false, false, true},
        {"temperatures", 2, 37, 37, 4, 2, 16, 16, Pairing::HalfSplit, false, false, false, true},
        {"given positions", 2, 37, 37, 4, 4, 16, 16, Pairing::HalfSplit, false, false, false, false, true},
        {"everything", 2, 75, 75, 8, 4, 40, 24, Pairing::Interleaved, true, true, true, true, true},
        {"cache, one query", 2, 1, 45, 4, 2, 16, 16},
        {"cache, seven queries", 2, 7, 145, 4, 2, 16, 16, Pairing::HalfSplit, true, true, false, true},
        {"several key blocks", 1, 300, 300, 2, 2, 64, 64},
        {"few heads, several stretches", 1, 200, 200, 1, 1, 8, 8, Pairing::HalfSplit, false, true},
        {"empty batch", 0},
        {"no queries", 2, 0, 5},
    };
    for (const int dim : {4, 8, 12, 20, 32, 48, 56, 72, 80, 96, 128, 256})
        cases.push_back({"head size " + std::to_string(dim), 1, 35, 35, 2, 1, dim, dim / 4 * 2});
    for (const int tokens : {3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65})
        cases.push_back({"tokens " + std::to_string(tokens), 1, tokens, tokens, 2, 2, 8, 8});
    return cases;
}

// Owns everything of one case: q, k and v are views of one packed QKV, gradients of one packed dQKV.
template <typename T>
struct AttentionData {
    static constexpr int kRows = 400;

    AttentionData(const AttentionCase& c, Dtype dtype)
    {
        const int width = (c.heads + 2 * c.keyHeads) * c.headDim;
        const std::int64_t batchStride = std::int64_t(c.keys) * width;
        qkv = stored<T>(normals(std::size_t(c.batch * batchStride), 1, "qkv"));
        gradient = stored<T>(normals(qkv.size(), 5, "stale"));
        dout = stored<T>(normals(std::size_t(c.batch * c.queries * c.heads * c.headDim), 2, "dout"));
        out = stored<T>(normals(dout.size(), 6, "stale"));
        logSumExp.assign(std::size_t(c.batch * c.heads * c.queries), 777);
        const int planes = c.rotaryDim / 2;
        cosines = normals(std::size_t(2 * kRows * planes), 3, "cosines", 0.7);
        sines = normals(std::size_t(2 * kRows * planes), 4, "sines", 0.7);
        for (int h = 0; h < c.heads; ++h) {
            queryLadders.push_back(h == 1 && c.keyHeads == c.heads ? kNoLadder : std::uint8_t(h % 2));
            slopes.push_back(h == 0 ? 0.0f : 0.3f / float(h));
            windows.push_back(h == 0 ? 0 : h == 1 ? 1 : 7 * h);
            headScales.push_back(0.8f + 0.1f * float(h));
        }
        for (int h = 0; h < c.keyHeads; ++h)
            keyLadders.push_back(h == 1 && c.keyHeads == c.heads ? kNoLadder : std::uint8_t(h % 2));
        for (int i = 0; i < c.queries; ++i)
            queryScales.push_back(1.0f + 0.2f * float(i % 3));
        for (int i = 0; i < c.batch * c.queries; ++i)
            firstKeys.push_back(i % 7 == 3 ? c.keys : i % 11);
        for (int i = 0; i < c.batch * c.keys; ++i)
            positionRows.push_back((i * 29 + 11) % kRows);

        params.batch = c.batch;
        params.queries = c.queries;
        params.keys = c.keys;
        params.heads = c.heads;
        params.keyHeads = c.keyHeads;
        params.headDim = c.headDim;
        params.dtype = dtype;
        const std::int64_t firstQuery = std::int64_t(c.keys - c.queries) * width;
        const auto input = [&](std::int64_t offset) { return AttentionInput{qkv.data() + offset, batchStride, width, c.headDim}; };
        const auto output = [&](std::int64_t offset) { return AttentionOutput{gradient.data() + offset, batchStride, width, c.headDim}; };
        params.q = input(firstQuery);
        params.k = input(c.heads * c.headDim);
        params.v = input((c.heads + c.keyHeads) * c.headDim);
        params.rotaryDim = c.rotaryDim;
        params.pairing = c.pairing;
        params.queryTables = params.keyTables = {cosines.data(), sines.data(), 2, kRows, planes};
        params.queryLadders = queryLadders.data();
        params.keyLadders = keyLadders.data();
        params.positions.offset = 3;
        if (c.positions)
            params.positions = {positionRows.data(), c.keys, 0};
        params.scale = float(1 / std::sqrt(double(c.headDim)));
        params.headScale = c.temperatures ? headScales.data() : nullptr;
        params.queryScale = c.temperatures ? queryScales.data() : nullptr;
        params.slopes = c.slopes ? slopes.data() : nullptr;
        params.windows = c.windows ? windows.data() : nullptr;
        params.firstKey = c.firstKeys ? firstKeys.data() : nullptr;
        params.firstKeyBatchStride = c.queries;

        const std::int64_t outRow = std::int64_t(c.heads) * c.headDim;
        outView = {out.data(), c.queries * outRow, outRow, c.headDim};
        gradients.out = {out.data(), c.queries * outRow, outRow, c.headDim};
        gradients.dout = {dout.data(), c.queries * outRow, outRow, c.headDim};
        gradients.logSumExp = logSumExp.data();
        gradients.dq = output(firstQuery);
        gradients.dk = output(c.heads * c.headDim);
        gradients.dv = output((c.heads + c.keyHeads) * c.headDim);
    }
    AttentionData(const AttentionData&) = delete;

    std::vector<T> qkv, gradient, dout, out;
    std::vector<float> logSumExp, cosines, sines, slopes, headScales, queryScales;
    std::vector<std::uint8_t> queryLadders, keyLadders;
    std::vector<std::int32_t> windows, firstKeys, positionRows;
    AttentionParams params;
    AttentionOutput outView;
    AttentionGradients gradients;
};

using ForwardFunction = std::function<void(const AttentionParams&, const AttentionOutput&, float*)>;
using BackwardFunction = std::function<void(const AttentionParams&, const AttentionGradients&)>;

template <typename T>
void verifyClose(const std::vector<T>& got, const std::vector<T>& wanted, double tolerance, const char* what)
{
    double error = 0, norm = 0, worst = 0, largest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double x = double(toFloat(got[i])), y = double(toFloat(wanted[i]));
        QVERIFY2(std::isfinite(x), qPrintable(QString("%1: element %2 is not finite").arg(what).arg(i)));
        error += (x - y) * (x - y);
        norm += y * y;
        worst = std::max(worst, std::abs(x - y));
        largest = std::max(largest, std::abs(y));
    }
    const double share = std::sqrt(error / std::max(norm, 1e-300));
    QVERIFY2(error <= tolerance * tolerance * norm && worst <= 10 * tolerance * std::max(largest, 1e-3),
        qPrintable(QString("%1: %2 of the norm, allowed %3; worst %4 of %5").arg(what).arg(share).arg(tolerance).arg(worst).arg(largest)));
}

template <typename T>
void compareAttention(const AttentionCase& c, Dtype dtype, double tolerance, const ForwardFunction& forward, const BackwardFunction& backward)
{
    AttentionData<T> ours(c, dtype), wanted(c, dtype);
    std::vector<double> sums(wanted.logSumExp.size());
    attentionReference(wanted.params, wanted.outView, sums.data());
    attentionReferenceBackward(wanted.params, wanted.gradients);
    forward(ours.params, ours.outView, ours.logSumExp.data());
    backward(ours.params, ours.gradients);
    verifyClose(ours.out, wanted.out, tolerance, "out");
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (std::isinf(sums[i]))
            QCOMPARE(double(ours.logSumExp[i]), sums[i]);
        else
            QVERIFY(std::abs(ours.logSumExp[i] - sums[i]) < 1e-5);
    }
    verifyClose(ours.gradient, wanted.gradient, 3 * tolerance, "gradient");
}

}  // namespace holo::kernels::test
