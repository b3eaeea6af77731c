#include <cstring>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include "core/bench/bench.h"
#include "core/bench/copy_bandwidth.h"
#include "core/bench/cuda_bench.h"
#include "core/bench/eager_rotary.h"
#include "core/bench/environment.h"
#include "core/bench/memory.h"
#include "core/bench/rotary_data.h"
#include "core/bench/timing.h"
#include "core/bench/ulp.h"
#include "core/ops/kernel_bridge.h"

namespace holo::bench {

namespace {

using kernels::Direction;
using kernels::Dtype;

// 12 q and 12 k heads of 64 over 1024 tokens, packed with their 12 v heads.
PackedShape shapeOf(std::int64_t batch, Dtype dtype) { return {batch, 1024, 12, 12, 64, 64, dtype, kernels::Pairing::HalfSplit}; }

at::ScalarType scalarType(Dtype dtype) { return dtype == Dtype::BFloat16 ? at::kBFloat16 : at::kFloat; }

struct RotaryCase {
    std::string name;
    PackedShape shape;
    TableSet two, one;
    std::vector<std::uint8_t> ladders, zeros;
    at::Tensor packed;          // [B,T,row]
    at::Tensor copyFrom, copyTo, scaled;  // as many bytes as q and k, dense
    at::Tensor cos, sin;        // [T,d] of one ladder, in the storage type
    std::size_t calls = 0;

    RotaryCase(std::string caseName, PackedShape packedShape)
        : name(std::move(caseName))
        , shape(packedShape)
        , two(tablesUpTo(twoLadders(shape), shape.tokens))
        , ladders(headLadders(shape.heads, 2, false))
        , zeros(std::size_t(shape.heads), 0)
    {
        one = two;
        one.ladders = 1;
        const auto options = at::TensorOptions().dtype(scalarType(shape.dtype));
        packed = at::empty({shape.batch, shape.tokens, shape.rowWidth()}, options);
        at::Tensor row = at::empty({shape.rowWidth()}, options);
        fillNormal(row.mutable_data_ptr(), shape.dtype, shape.rowWidth(), 3);
        packed.copy_(row.expand(packed.sizes()));
        const std::int64_t elements = shape.rotatedBytes() / kernels::sizeOf(shape.dtype);
        copyFrom = at::empty({elements}, options).fill_(1);
        copyTo = at::empty({elements}, options).fill_(1);
        scaled = at::empty({elements}, options).fill_(1);
        const auto table = [&](std::vector<float>& values) {
            return doubled(at::from_blob(values.data(), {shape.tokens, two.planes}, at::TensorOptions().dtype(at::kFloat)).clone()).to(scalarType(shape.dtype));
        };
        cos = table(two.cosines);
        sin = table(two.sines);
    }

    // A kernel that turns the same memory over and over: both ways in turn would be the same work.
    Variant ours(const std::string& title, const TableSet& tables, const std::vector<std::uint8_t>& ids, Direction direction)
    {
        return {title, [this, &tables, &ids, direction] {
                    kernels::rotate(rotaryCall(shape, tables, ids, ids, packed.mutable_data_ptr(), direction), ops::parallelFor());
                }};
    }

    Variant eager()
    {
        return {"eager LibTorch", [this] {
                    const at::NoGradGuard guard;
                    for (int part = 0; part < 2; ++part) {
                        const at::Tensor x = packed.narrow(2, part * shape.heads * shape.headDim, shape.heads * shape.headDim)
                                                 .view({shape.batch, shape.tokens, shape.heads, shape.headDim}).transpose(1, 2);
                        eagerRotary(x, cos, sin);
                    }
                }};
    }
};

std::string variantOf(const RotaryCase& c)
{
    const PackedShape& s = c.shape;
    return c.name + " " + dtypeName(s.dtype) + " [B" + std::to_string(s.batch) + ",T" + std::to_string(s.tokens) + "," + std::to_string(s.heads + s.keyHeads) + " heads,"
        + std::to_string(s.headDim) + "], 2 ladders";
}

// `copyGoal` for both directions; `rmwGoal` and the comparison with eager code only at the large shape.
void addCase(std::vector<Row>& rows, RotaryCase& c, const BenchOptions& options, Goal copyGoal, Goal rmwGoal, bool withEager)
{
    const double bytes = 2 * double(c.shape.rotatedBytes());
    std::vector<Variant> variants = {
        {"memcpy", [&] { copyBytes(c.copyTo.mutable_data_ptr(), c.copyFrom.const_data_ptr(), c.shape.rotatedBytes()); }},
        {"vector copy", [&] { copyLoop(c.copyTo.mutable_data_ptr(), c.copyFrom.const_data_ptr(), c.shape.rotatedBytes()); }},
        {"in-place scale", [&] { c.scaled.mul_(1.0); }},
        c.ours("forward, 2 ladders", c.two, c.ladders, Direction::Forward),
        c.ours("backward, 2 ladders", c.two, c.ladders, Direction::Backward),
        c.ours("forward, 1 shared table", c.one, c.zeros, Direction::Forward),
    };
    if (withEager)
        variants.push_back(c.eager());
    const auto samples = interleave(variants, options.rounds, options.clock);
    const Samples& copy = samples[0].median() <= samples[1].median() ? samples[0] : samples[1];
    const std::string variant = variantOf(c);
    const std::string device = cpuDevice();
    const auto bandwidth = [&](const std::string& name, const Samples& ours, const Samples& reference, Goal goal) {
        rows.push_back(speedRow(name, variant, bytes * 1e-9, ours, reference, "GB/s", goal, device));
    };
    const std::string goalOfCopy = c.name == "S2" ? "R2" : "R1";
    bandwidth(goalOfCopy + " rotary forward ÷ copy", samples[3], copy, copyGoal);
    bandwidth(goalOfCopy + " rotary backward ÷ copy", samples[4], copy, copyGoal);
    bandwidth(goalOfCopy + " rotary forward ÷ in-place scale", samples[3], samples[2], rmwGoal);
    bandwidth(goalOfCopy + " rotary backward ÷ in-place scale", samples[4], samples[2], rmwGoal);
    rows.push_back(timeRow("R3 ladders by head ÷ one shared table", variant, samples[3], samples[5], atMost(1.03), device));
    if (withEager)
        bandwidth("R4 rotary ÷ eager", samples[3], samples[6], atLeast(15));
}

// One call, its cuts and its memory counted.
void addLaunch(std::vector<Row>& rows)
{
    RotaryCase c("S2", shapeOf(4, Dtype::BFloat16));
    int launches = 0;
    const kernels::ParallelFor counting = [&](std::int64_t count, std::int64_t grain, const kernels::ParallelBody& body) {
        ++launches;
        ops::parallelFor()(count, grain, body);
    };
    const TensorMemory memory = tensorMemory([&] {
        kernels::rotate(rotaryCall(c.shape, c.two, c.ladders, c.ladders, c.packed.mutable_data_ptr(), Direction::Forward), counting);
    });
    Row row = valueRow("R7 launches for q, k and both ladders", variantOf(c), launches, "launches", atMost(1), cpuDevice());
    row.pass = *row.pass && memory.allocated == 0;
    row.note = "and no tensor memory: " + std::to_string(memory.allocated) + " bytes";
    row.details["allocated_bytes"] = memory.allocated;
    rows.push_back(std::move(row));
}

}  // namespace

std::vector<Row> benchRotary(const BenchOptions& options)
{
    std::vector<Row> rows;
    for (const Dtype dtype : {Dtype::BFloat16, Dtype::Float32}) {
        // Goals are for bf16; fp32 is reported beside it.
        const bool judged = dtype == Dtype::BFloat16;
        RotaryCase large("S1", shapeOf(std::max(1, 64 / options.share), dtype));
        addCase(rows, large, options, judged ? atLeast(1.15) : Goal{}, judged ? atLeast(0.75) : Goal{}, judged);
    }
    RotaryCase small("S2", shapeOf(std::max(1, 4 / options.share), Dtype::BFloat16));
    addCase(rows, small, options, atLeast(0.90), Goal{}, false);
    addLaunch(rows);
    for (Row& row : benchRotaryCuda(options))
        rows.push_back(std::move(row));
    return rows;
}

}  // namespace holo::bench
