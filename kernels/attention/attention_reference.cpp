#include "kernels/attention/attention.h"
#include "kernels/common/half.h"
#include "kernels/rotary/rotary_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace holo::kernels {

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

void put(double x, double& y) { y = x; }
template <typename T>
void put(double x, T& y)
{
    fromFloat(float(x), y);
}

template <typename T>
Row read(const AttentionParams& p, const AttentionInput& x, std::int64_t b, std::int64_t t, std::int64_t h)
{
    const T* from = static_cast<const T*>(x.data) + (b * x.batchStride + t * x.tokenStride + h * x.headStride);
    Row row;
    for (int d = 0; d < p.headDim; ++d)
        row.push_back(double(toFloat(from[d])));
    return row;
}

template <typename T>
void write(const Row& row, const AttentionOutput& x, std::int64_t b, std::int64_t t, std::int64_t h)
{
    T* to = static_cast<T*>(x.data) + (b * x.batchStride + t * x.tokenStride + h * x.headStride);
    for (std::size_t d = 0; d < row.size(); ++d)
        put(row[d], to[d]);
}

void rotateRow(const AttentionParams& p, const LadderTables& tables, const std::uint8_t* ladders, std::int64_t head, std::int64_t b,
    std::int64_t key, double sign, Row& row)
{
    const int ladder = ladders ? ladders[head] : 0;
    if (p.rotaryDim == 0 || !tables.cosines || ladder == kNoLadder)
        return;
    const std::int64_t first = tables.rowOffset(ladder, p.positions.at(b, key));
    const int planes = p.rotaryDim / 2;
    for (int j = 0; j < planes; ++j) {
        const bool halves = p.pairing == Pairing::HalfSplit;
        rotatePair(row[std::size_t(halves ? j : 2 * j)], row[std::size_t(halves ? j + planes : 2 * j + 1)],
            double(tables.cosines[first + j]), sign * double(tables.sines[first + j]));
    }
}

double dot(const Row& a, const Row& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

// One query head: its rotated queries (unscaled) and keys, values, and the softmax weights of a query.
template <typename T>
struct Head {
    const AttentionParams& p;
    std::int64_t b, head, keyHead;
    Rows q, k, v;

    Head(const AttentionParams& params, std::int64_t batchRow, std::int64_t h)
        : p(params)
        , b(batchRow)
        , head(h)
        , keyHead(h / (params.heads / params.keyHeads))
    {
        for (std::int64_t i = 0; i < p.queries; ++i) {
            q.push_back(read<T>(p, p.q, b, i, head));
            rotateRow(p, p.queryTables, p.queryLadders, head, b, i + p.keys - p.queries, 1, q.back());
        }
        for (std::int64_t j = 0; j < p.keys; ++j) {
            k.push_back(read<T>(p, p.k, b, j, keyHead));
            rotateRow(p, p.keyTables, p.keyLadders, keyHead, b, j, 1, k.back());
            v.push_back(read<T>(p, p.v, b, j, keyHead));
        }
    }

    double factor(std::int64_t i) const
    {
        return double(p.scale) * (p.headScale ? p.headScale[head] : 1.0) * (p.queryScale ? p.queryScale[i] : 1.0);
    }

    // Weight of every key, 0 where unseen; returns the logsumexp.
    double weigh(std::int64_t i, Row& weights) const
    {
        const std::int64_t own = i + p.keys - p.queries;
        std::int64_t first = p.windows && p.windows[head] > 0 ? std::max<std::int64_t>(0, own - p.windows[head] + 1) : 0;
        if (p.firstKey)
            first = std::max<std::int64_t>(first, p.firstKey[b * p.firstKeyBatchStride + i]);
        weights.assign(std::size_t(p.keys), 0);
        if (first > own)
            return -std::numeric_limits<double>::infinity();
        double largest = -std::numeric_limits<double>::infinity();
        for (std::int64_t j = first; j <= own; ++j) {
            double& s = weights[std::size_t(j)];
            s = factor(i) * dot(q[std::size_t(i)], k[std::size_t(j)]) - (p.slopes ? double(p.slopes[head]) * double(own - j) : 0.0);
            largest = std::max(largest, s);
        }
        double total = 0;
        for (std::int64_t j = first; j <= own; ++j)
            total += weights[std::size_t(j)] = std::exp(weights[std::size_t(j)] - largest);
        for (std::int64_t j = first; j <= own; ++j)
            weights[std::size_t(j)] /= total;
        return largest + std::log(total);
    }

    Row output(const Row& weights) const
    {
        Row out(std::size_t(p.headDim), 0.0);
        for (std::size_t j = 0; j < v.size(); ++j) {
            for (std::size_t d = 0; d < out.size(); ++d)
                out[d] += weights[j] * v[j][d];
        }
        return out;
    }
};

void addScaled(Row& to, double factor, const Row& x)
{
    for (std::size_t d = 0; d < to.size(); ++d)
        to[d] += factor * x[d];
}

template <typename T>
void forward(const AttentionParams& p, const AttentionOutput& out, double* logSumExp)
{
    Row weights;
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t h = 0; h < p.heads; ++h) {
            const Head<T> head(p, b, h);
            for (std::int64_t i = 0; i < p.queries; ++i) {
                const double sum = head.weigh(i, weights);
                write<T>(head.output(weights), out, b, i, h);
                if (logSumExp)
                    logSumExp[(b * p.heads + h) * p.queries + i] = sum;
            }
        }
    }
}

template <typename T>
void backward(const AttentionParams& p, const AttentionGradients& g)
{
    const std::int64_t group = p.heads / std::max(1, p.keyHeads);
    for (std::int64_t b = 0; b < p.batch; ++b) {
        for (std::int64_t keyHead = 0; keyHead < p.keyHeads; ++keyHead) {
            Rows dk(std::size_t(p.keys), Row(std::size_t(p.headDim), 0.0));
            Rows dv = dk;
            for (std::int64_t h = keyHead * group; h < (keyHead + 1) * group; ++h) {
                const Head<T> head(p, b, h);
                Row weights;
                for (std::int64_t i = 0; i < p.queries; ++i) {
                    head.weigh(i, weights);
                    const Row dout = read<T>(p, g.dout, b, i, h);
                    const double mean = dot(dout, head.output(weights));
                    Row dq(std::size_t(p.headDim), 0.0);
                    for (std::size_t j = 0; j < weights.size(); ++j) {
                        const double ds = weights[j] * (dot(dout, head.v[j]) - mean) * head.factor(i);
                        addScaled(dq, ds, head.k[j]);
                        addScaled(dk[j], ds, head.q[std::size_t(i)]);
                        addScaled(dv[j], weights[j], dout);
                    }
                    rotateRow(p, p.queryTables, p.queryLadders, h, b, i + p.keys - p.queries, -1, dq);
                    write<T>(dq, g.dq, b, i, h);
                }
            }
            for (std::int64_t j = 0; j < p.keys; ++j) {
                rotateRow(p, p.keyTables, p.keyLadders, keyHead, b, j, -1, dk[std::size_t(j)]);
                write<T>(dk[std::size_t(j)], g.dk, b, j, keyHead);
                write<T>(dv[std::size_t(j)], g.dv, b, j, keyHead);
            }
        }
    }
}

template <typename Function>
void withType(const AttentionParams& p, Function function)
{
    if (const auto problem = attentionProblem(p))
        throw std::invalid_argument(*problem);
    switch (p.dtype) {
    case Dtype::Float32:
        return function(float{});
    case Dtype::BFloat16:
        return function(BFloat16{});
    case Dtype::Float16:
        return function(Float16{});
    case Dtype::Float64:
        return function(double{});
    }
}

}  // namespace

void attentionReference(const AttentionParams& p, const AttentionOutput& out, double* logSumExp)
{
    withType(p, [&](auto type) { forward<decltype(type)>(p, out, logSumExp); });
}

void attentionReferenceBackward(const AttentionParams& p, const AttentionGradients& g)
{
    withType(p, [&](auto type) { backward<decltype(type)>(p, g); });
}

}  // namespace holo::kernels
