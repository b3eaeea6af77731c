#include <array>
#include <cstring>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "core/bench/attention_data.h"
#include "core/bench/bench.h"
#include "core/bench/eager_rotary.h"
#include "core/bench/environment.h"
#include "core/bench/timing.h"
#include "core/ops/kernel_bridge.h"

namespace holo::bench {

namespace {

struct Shape {
    std::int64_t batch;
    int heads;
    std::int64_t tokens;
    int headDim;
    double goal;
};
constexpr std::array kShapes = {Shape{16, 8, 256, 8, 3.0}, Shape{16, 8, 256, 16, 3.0}, Shape{4, 8, 512, 40, 2.2}, Shape{4, 12, 1024, 64, 1.8}};

// q, k and v of packed projections as a model in plain LibTorch code has them, forward and backward through autograd.
class StockAttention {
public:
    StockAttention(const AttentionData& data, const TableSet& tables)
        : m_shape(data.shape())
    {
        const auto copy = [](const void* from, std::vector<std::int64_t> sizes) {
            return at::from_blob(const_cast<void*>(from), sizes, at::TensorOptions().dtype(at::kFloat)).clone();
        };
        const PackedShape& s = m_shape;
        m_packed = copy(data.packed.data(), {s.batch, s.tokens, s.rowWidth()}).requires_grad_(true);
        m_gradient = copy(data.outputGradient.data(), {s.batch, s.tokens, std::int64_t(s.heads) * s.headDim});
        m_cos = doubled(copy(tables.cosines.data(), {s.tokens, tables.planes}));
        m_sin = doubled(copy(tables.sines.data(), {s.tokens, tables.planes}));
    }

    void run(bool rotary)
    {
        const PackedShape& s = m_shape;
        const auto part = [&](std::int64_t which) {
            return m_packed.narrow(2, which * s.heads * s.headDim, s.heads * s.headDim).view({s.batch, s.tokens, s.heads, s.headDim}).transpose(1, 2);
        };
        at::Tensor q = part(0), k = part(1);
        const at::Tensor v = part(2);
        if (rotary) {
            q = eagerRotary(q, m_cos, m_sin);
            k = eagerRotary(k, m_cos, m_sin);
        }
        const at::Tensor out = at::scaled_dot_product_attention(q, k, v, {}, 0.0, true).transpose(1, 2).reshape(m_gradient.sizes());
        m_packed.mutable_grad() = at::Tensor();
        out.backward(m_gradient);
    }

private:
    PackedShape m_shape;
    at::Tensor m_packed, m_gradient, m_cos, m_sin;
};

}  // namespace

std::vector<Row> benchAttention(const BenchOptions& options)
{
    std::vector<Row> rows;
    const std::string device = cpuDevice();
    for (const Shape& shape : kShapes) {
        const PackedShape packed{std::max<std::int64_t>(1, shape.batch / options.share), shape.tokens, shape.heads, shape.heads, shape.headDim, shape.headDim};
        TableSet tables = tablesUpTo(twoLadders(packed), packed.tokens);
        tables.ladders = 1;  // stock code has one
        AttentionData data(packed, false, tables);
        StockAttention stock(data, tables);
        const auto samples = interleave(
            {{"rotary and attention in one kernel", [&] {
                  kernels::attentionForward(data.params, data.out, data.logSumExp.data(), ops::parallelFor());
                  kernels::attentionBackward(data.params, data.gradients, ops::parallelFor());
              }},
             {"SDPA with eager rotary", [&] { stock.run(true); }},
             {"SDPA alone", [&] { stock.run(false); }}},
            options.rounds, options.clock);
        const kernels::AttentionCost cost = kernels::attentionCost(data.params);
        const double work = (cost.forwardFlops + cost.backwardFlops) * 1e-9;
        const std::string variant = "fp32 [B" + std::to_string(packed.batch) + ",H" + std::to_string(shape.heads) + ",T" + std::to_string(shape.tokens) + ",d"
            + std::to_string(shape.headDim) + "], forward and backward";
        rows.push_back(speedRow("T10 attention ÷ SDPA with eager rotary", variant, work, samples[0], samples[1], "GFLOP/s", atLeast(shape.goal), device));
        rows.push_back(speedRow("attention with rotary ÷ SDPA alone", variant, work, samples[0], samples[2], "GFLOP/s", {}, device));
    }
    return rows;
}

}  // namespace holo::bench
