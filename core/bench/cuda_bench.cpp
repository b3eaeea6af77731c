#include "core/bench/cuda_bench.h"

#include <cstring>
#include <stdexcept>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/bench/cuda_graph.h"
#include "core/bench/eager_rotary.h"
#include "core/bench/environment.h"
#include "core/bench/rotary_data.h"
#include "core/bench/timing.h"
#include "core/ops/rotary.h"

namespace holo::bench {

namespace {

const at::Device kDevice(at::kCUDA, 0);
constexpr int kLaunchesOfAGraph = 100;

struct DeviceCase {
    PackedShape shape;
    at::Tensor packed, copyFrom, copyTo, cos, sin;
    ops::AttentionLayerPtr two, one;

    explicit DeviceCase(std::int64_t batch, std::int64_t tokens, int heads)
        : shape{batch, tokens, heads, heads, 64, 64, kernels::Dtype::BFloat16, kernels::Pairing::HalfSplit}
    {
        const auto options = at::TensorOptions().dtype(at::kBFloat16).device(kDevice);
        packed = at::empty({batch, tokens, shape.rowWidth()}, options).fill_(0.5);
        copyFrom = at::empty({shape.rotatedBytes() / 2}, options).fill_(1);
        copyTo = at::empty({shape.rotatedBytes() / 2}, options);
        TableSet tables = tablesUpTo(twoLadders(shape), tokens);
        two = layer(tables, headLadders(heads, 2, false));
        cos = doubled(two->queryCos.select(0, 0)).to(at::kBFloat16);
        sin = doubled(two->querySin.select(0, 0)).to(at::kBFloat16);
        tables.ladders = 1;
        one = layer(tables, std::vector<std::uint8_t>(std::size_t(heads), 0));
    }

    ops::AttentionLayerPtr layer(TableSet& tables, const std::vector<std::uint8_t>& ids) const
    {
        auto made = c10::make_intrusive<ops::AttentionLayer>();
        made->heads = made->kvHeads = shape.heads;
        made->headDim = made->rotaryDim = shape.headDim;
        const auto table = [&](std::vector<float>& values) {
            return at::from_blob(values.data(), {tables.ladders, tables.positions, tables.planes}, at::TensorOptions().dtype(at::kFloat)).to(kDevice);
        };
        made->queryCos = made->keyCos = table(tables.cosines);
        made->querySin = made->keySin = table(tables.sines);
        made->queryLadders = made->keyLadders = ids;
        at::Tensor host = at::empty({shape.heads}, at::TensorOptions().dtype(at::kByte));
        std::memcpy(host.mutable_data_ptr<std::uint8_t>(), ids.data(), ids.size());
        made->queryLadderIds = made->keyLadderIds = host.to(kDevice);
        return made;
    }

    void eager() const
    {
        const at::NoGradGuard guard;
        for (int part = 0; part < 2; ++part)
            eagerRotary(packed.narrow(2, part * shape.heads * shape.headDim, shape.heads * shape.headDim)
                            .view({shape.batch, shape.tokens, shape.heads, shape.headDim}).transpose(1, 2), cos, sin);
    }
};

void addLarge(std::vector<Row>& rows, const BenchOptions& options, const std::string& device)
{
    const DeviceCase c(std::max(1, 64 / options.share), 1024, 12);
    const auto rotate = [&c](const ops::AttentionLayerPtr& layer, bool backward) { return [&c, layer, backward] { ops::rotatePacked_(c.packed, *layer, backward); }; };
    const auto samples = interleave({{"device copy", [&] { c.copyTo.copy_(c.copyFrom); }},
                                     {"forward, 2 ladders", rotate(c.two, false)},
                                     {"backward, 2 ladders", rotate(c.two, true)},
                                     {"forward, 1 shared table", rotate(c.one, false)},
                                     {"eager LibTorch", [&] { c.eager(); }}},
        options.rounds, cudaSeconds);
    const double gigabytes = 2e-9 * double(c.shape.rotatedBytes());
    const std::string variant = "S3 bf16 [B" + std::to_string(c.shape.batch) + ",T1024,24 heads,64], 2 ladders";
    rows.push_back(speedRow("R5 GPU rotary forward ÷ device copy", variant, gigabytes, samples[1], samples[0], "GB/s", atLeast(0.92), device));
    rows.push_back(speedRow("R5 GPU rotary backward ÷ device copy", variant, gigabytes, samples[2], samples[0], "GB/s", atLeast(0.92), device));
    rows.push_back(timeRow("R3 GPU ladders by head ÷ one shared table", variant, samples[1], samples[3], atMost(1.03), device));
    rows.push_back(speedRow("R4 GPU rotary ÷ eager", variant, gigabytes, samples[1], samples[4], "GB/s", atLeast(8), device));
}

void addGraph(std::vector<Row>& rows, const BenchOptions& options, const std::string& device)
{
    const DeviceCase c(1, 512, 6);  // 12 heads of q and k
    const c10::impl::VirtualGuardImpl cuda(at::kCUDA);
    const c10::StreamGuard guard(cuda.getStreamFromGlobalPool(kDevice));
    ops::rotatePacked_(c.packed, *c.two, false);  // loads the kernel before the capture
    cudaSeconds();
    const CudaGraph graph(guard.current_stream(), [&] {
        for (int i = 0; i < kLaunchesOfAGraph; ++i)
            ops::rotatePacked_(c.packed, *c.two, false);
    });
    const auto samples = interleave({{"graph of 100 launches", [&] { graph.launch(); }}}, options.rounds, cudaSeconds);
    Row row = valueRow("R8 GPU rotary inside a graph", "S4 bf16 [B1,T512,12 heads,64]", samples[0].median() * 1e6 / kLaunchesOfAGraph, "us", atMost(2.0), device);
    row.details["seconds"] = samples[0].spread(1.0 / kLaunchesOfAGraph);
    rows.push_back(std::move(row));
}

}  // namespace

double cudaSeconds()
{
    c10::impl::VirtualGuardImpl(at::kCUDA).synchronizeDevice(kDevice.index());
    return steadySeconds();
}

std::vector<Row> benchRotaryCuda(const BenchOptions& options)
{
    std::vector<Row> rows;
    const std::string device = cudaDevice();
    using Part = void (*)(std::vector<Row>&, const BenchOptions&, const std::string&);
    for (const auto& [name, part] : {std::pair<const char*, Part>{"R3, R4, R5 GPU rotary", addLarge}, {"R8 GPU rotary inside a graph", addGraph}}) {
        if (device.empty()) {
            rows.push_back(skipped(name, "", "cuda", "no device"));
            continue;
        }
        try {
            part(rows, options, device);
        } catch (const std::exception& error) {
            Row row = skipped(name, "", device, "");
            row.pass = false;
            row.note = error.what();
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace holo::bench
