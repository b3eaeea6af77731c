#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "core/base/error.h"
#include "core/bench/environment.h"
#include "core/bench/selftest.h"
#include "core/bench/threads.h"
#include "core/bench/ulp.h"
#include "core/ops/kernel_bridge.h"
#include "core/ops/rotary.h"

namespace holo::bench {

namespace {

using kernels::Direction;
using kernels::Dtype;
using kernels::Isa;
using kernels::Pairing;

constexpr std::int64_t kLastPosition = std::int64_t(1) << 20;
constexpr std::array kTypes = {Dtype::Float32, Dtype::BFloat16, Dtype::Float16};
constexpr std::array kPairings = {Pairing::HalfSplit, Pairing::Interleaved};
constexpr std::array kPaths = {Isa::Plain, Isa::Avx2, Isa::Avx512};

// The first positions and then ever wider steps up to 2^20, both neighbours of each power of two among them.
std::vector<std::int64_t> samplePositions()
{
    std::vector<std::int64_t> positions;
    for (std::int64_t p = 0; p < 16; ++p)
        positions.push_back(p);
    for (std::int64_t power = 16; power <= kLastPosition; power *= 2)
        for (const std::int64_t p : {power - 1, power, power + power / 3})
            if (p <= kLastPosition)
                positions.push_back(p);
    return positions;
}

struct Problem {
    PackedShape shape;
    ladder::Plan plan;
    std::vector<std::int64_t> positions;
    TableSet tables;  // as the kernel gets them
    std::vector<std::uint8_t> queryLadders, keyLadders;
    AlignedBuffer input;

    Problem(const SelftestOptions& options, Dtype dtype, Pairing pairing)
        : Problem(options, {2, 0, 6, 3, 72, 64, dtype, pairing})
    {
    }

    // One token for every sampled position.
    Problem(const SelftestOptions& options, const PackedShape& packed)
        : shape(packed)
        , plan(twoLadders(shape))
        , positions(samplePositions())
        , tables(tablesAt(plan, positions))
        , queryLadders(headLadders(shape.heads, tables.ladders, true))
        , keyLadders(headLadders(shape.keyHeads, tables.ladders, false))
    {
        shape.tokens = std::int64_t(positions.size());
        if (options.distort)
            options.distort(tables);
        input = AlignedBuffer(shape.elements() * kernels::sizeOf(shape.dtype));
        fillNormal(input.data(), shape.dtype, shape.elements(), 7);
    }
};

// Rotates a copy of the packed input in place, in the given directions one after the other.
using Rotate = std::function<void(const Problem&, std::byte* data, Direction)>;

AlignedBuffer apply(const Problem& problem, const Rotate& rotate, std::initializer_list<Direction> directions)
{
    AlignedBuffer data(problem.input.bytes());
    std::memcpy(data.data(), problem.input.data(), std::size_t(data.bytes()));
    for (const Direction direction : directions)
        rotate(problem, data.data(), direction);
    return data;
}

// Visits every plane of q and k: (lane of x0, lane of x1, ladder or −1, position), and every lane that is not rotated with x1 = −1.
template <class Visit>
void forPlanes(const Problem& problem, const Visit& visit)
{
    const PackedShape& s = problem.shape;
    const std::int64_t planes = s.rotaryDim / 2;
    std::int64_t base = 0;
    for (std::int64_t row = 0; row < s.batch * s.tokens; ++row) {
        for (std::int64_t h = 0; h < s.heads + 2 * s.keyHeads; ++h, base += s.headDim) {
            const bool query = h < s.heads;
            const bool value = h >= s.heads + s.keyHeads;
            const int ladder = value ? int(kernels::kNoLadder) : query ? problem.queryLadders[std::size_t(h)] : problem.keyLadders[std::size_t(h - s.heads)];
            const bool turns = ladder != kernels::kNoLadder;
            for (std::int64_t j = 0; turns && j < planes; ++j) {
                const bool half = s.pairing == Pairing::HalfSplit;
                visit(base + (half ? j : 2 * j), base + (half ? j + planes : 2 * j + 1), ladder, j, problem.positions[std::size_t(row % s.tokens)]);
            }
            for (std::int64_t i = turns ? s.rotaryDim : 0; i < s.headDim; ++i)
                visit(base + i, -1, -1, 0, 0);
        }
    }
}

// Against cos and sin of θ·p in extended precision, straight from the frequencies.
ErrorCount errorOf(const Problem& problem, const AlignedBuffer& result, Direction direction)
{
    const Dtype type = problem.shape.dtype;
    ErrorCount errors(type);
    forPlanes(problem, [&](std::int64_t i0, std::int64_t i1, int ladder, std::int64_t plane, std::int64_t position) {
        const double x0 = element(problem.input.data(), type, i0);
        if (i1 < 0) {
            errors.add(element(result.data(), type, i0), x0, 0);
            return;
        }
        const double x1 = element(problem.input.data(), type, i1);
        const long double angle = static_cast<long double>(problem.plan.ladders[std::size_t(ladder)].theta[std::size_t(plane)]) * static_cast<long double>(position);
        const double c = double(std::cos(angle));
        const double s = (direction == Direction::Forward ? 1 : -1) * double(std::sin(angle));
        const double length = std::hypot(x0, x1);
        errors.add(element(result.data(), type, i0), x0 * c - x1 * s, length);
        errors.add(element(result.data(), type, i1), x1 * c + x0 * s, length);
    });
    return errors;
}

ErrorCount thereAndBack(const Problem& problem, const AlignedBuffer& result)
{
    const Dtype type = problem.shape.dtype;
    ErrorCount errors(type);
    forPlanes(problem, [&](std::int64_t i0, std::int64_t i1, int, std::int64_t, std::int64_t) {
        const double x0 = element(problem.input.data(), type, i0);
        const double x1 = i1 < 0 ? 0 : element(problem.input.data(), type, i1);
        errors.addAtScale(element(result.data(), type, i0), x0, std::hypot(x0, x1));
        if (i1 >= 0)
            errors.addAtScale(element(result.data(), type, i1), x1, std::hypot(x0, x1));
    });
    return errors;
}

Row accuracyRow(const Problem& problem, const std::string& variant, const std::string& device, const ErrorCount& errors, Direction direction)
{
    const std::string name = std::string("rotary ") + (direction == Direction::Forward ? "forward" : "backward") + " vs float64";
    Row row;
    if (problem.shape.dtype == Dtype::Float32) {
        row = valueRow(name, variant, errors.normError(), "of the norm", atMost(3e-7), device);
    } else {
        row = valueRow(name, variant, errors.exactShare(), "exactly rounded", atLeast(0.999), device);
        row.pass = *row.pass && errors.worstUlp() <= 1;
    }
    row.note = "cosines and sines in extended precision, positions to 2^20; 16-bit types: the rest within 1 ulp";
    row.details = errors.json();
    return row;
}

void addAccuracy(std::vector<Row>& rows, const Problem& problem, const std::string& variant, const std::string& device, const Rotate& rotate)
{
    for (const Direction direction : {Direction::Forward, Direction::Backward})
        rows.push_back(accuracyRow(problem, variant, device, errorOf(problem, apply(problem, rotate, {direction}), direction), direction));
    const ErrorCount identity = thereAndBack(problem, apply(problem, rotate, {Direction::Forward, Direction::Backward}));
    Row row = valueRow("rotary there and back", variant, identity.worstUlp(), "ulp", atMost(problem.shape.dtype == Dtype::Float32 ? 4 : 2), device);
    row.note = "an ulp at the length of the plane's vector";
    row.details = identity.json();
    rows.push_back(std::move(row));
}

// Head sizes that no vector width divides, single heads, partial widths; the worst of all of them.
Row oddShapes(const SelftestOptions& options, Dtype dtype, const std::string& path, const std::string& device, const Rotate& rotate)
{
    double normError = 0;
    double ulp = 0;
    for (const auto& [batch, heads, keyHeads, headDim, rotaryDim] : {std::array{1, 1, 1, 40, 40}, std::array{3, 5, 1, 72, 24}, std::array{1, 7, 1, 80, 80}, std::array{2, 4, 2, 96, 50},
             std::array{1, 3, 3, 128, 128}, std::array{3, 2, 1, 12, 2}, std::array{1, 1, 1, 2, 2}, std::array{1, 2, 1, 256, 254}}) {
        for (const Pairing pairing : kPairings) {
            const Problem problem(options, {batch, 0, heads, keyHeads, headDim, rotaryDim, dtype, pairing});
            for (const Direction direction : {Direction::Forward, Direction::Backward}) {
                const ErrorCount errors = errorOf(problem, apply(problem, rotate, {direction}), direction);
                normError = std::isnan(errors.normError()) ? errors.normError() : std::max(normError, errors.normError());
                ulp = std::isnan(errors.worstUlp()) ? errors.worstUlp() : std::max(ulp, errors.worstUlp());
            }
        }
    }
    const std::string variant = std::string(dtypeName(dtype)) + " " + path;
    return dtype == Dtype::Float32 ? valueRow("rotary odd shapes vs float64", variant, normError, "of the norm", atMost(3e-7), device)
                                   : valueRow("rotary odd shapes vs float64", variant, ulp, "ulp", atMost(1), device);
}

Rotate cpuRotate(const kernels::ParallelFor& parallelFor, Isa path)
{
    return [&parallelFor, path](const Problem& problem, std::byte* data, Direction direction) {
        kernels::rotate(rotaryCall(problem.shape, problem.tables, problem.queryLadders, problem.keyLadders, data, direction), parallelFor, path);
    };
}

at::ScalarType scalarType(Dtype type)
{
    return type == Dtype::Float32 ? at::kFloat : type == Dtype::BFloat16 ? at::kBFloat16 : at::kHalf;
}

at::Tensor onDevice(const void* from, const std::vector<std::int64_t>& sizes, at::ScalarType type)
{
    at::Tensor host = at::empty(sizes, at::TensorOptions().dtype(type));
    std::memcpy(host.mutable_data_ptr(), from, host.nbytes());
    return host.to(at::Device(at::kCUDA, 0));
}

// Through the engine's own operation, as training calls it.
void cudaRotate(const Problem& problem, std::byte* data, Direction direction)
{
    const PackedShape& s = problem.shape;
    auto layer = c10::make_intrusive<ops::AttentionLayer>();
    layer->heads = s.heads;
    layer->kvHeads = s.keyHeads;
    layer->headDim = s.headDim;
    layer->rotaryDim = s.rotaryDim;
    layer->pairing = s.pairing;
    const std::vector<std::int64_t> tableSizes = {problem.tables.ladders, problem.tables.positions, problem.tables.planes};
    layer->queryCos = layer->keyCos = onDevice(problem.tables.cosines.data(), tableSizes, at::kFloat);
    layer->querySin = layer->keySin = onDevice(problem.tables.sines.data(), tableSizes, at::kFloat);
    layer->queryLadders = problem.queryLadders;
    layer->keyLadders = problem.keyLadders;
    layer->queryLadderIds = onDevice(problem.queryLadders.data(), {s.heads}, at::kByte);
    layer->keyLadderIds = onDevice(problem.keyLadders.data(), {s.keyHeads}, at::kByte);
    const at::Tensor packed = onDevice(data, {s.batch, s.tokens, s.rowWidth()}, scalarType(s.dtype));
    ops::rotatePacked_(packed, *layer, direction == Direction::Backward);
    const at::Tensor back = packed.to(at::kCPU);
    std::memcpy(data, back.const_data_ptr(), back.nbytes());
}

std::string variantOf(const Problem& problem, const std::string& path)
{
    return std::string(dtypeName(problem.shape.dtype)) + " " + (problem.shape.pairing == Pairing::HalfSplit ? "half" : "interleaved") + " " + path;
}

// Runs a part that needs a CUDA device; without one, or if it throws, the part's row says so.
void onCuda(std::vector<Row>& rows, const std::string& name, const std::string& variant, const std::function<void(const std::string& device)>& part)
{
    const std::string device = cudaDevice();
    if (device.empty()) {
        rows.push_back(skipped(name, variant, "cuda", "no device"));
        return;
    }
    try {
        part(device);
    } catch (const std::exception& error) {
        Row row = skipped(name, variant, device, "");
        row.pass = false;
        row.note = error.what();
        rows.push_back(std::move(row));
    }
}

constexpr const char* kManyElements = "rotary past 2^31 elements vs float64";

// The last token of a buffer whose offsets do not fit 32 bits.
Row manyElements(const std::string& device)
{
    const PackedShape s{1, 131072, 128, 2, 128, 128, Dtype::BFloat16, Pairing::HalfSplit};
    const ladder::Plan plan = twoLadders(s);
    TableSet tables = tablesUpTo(plan, s.tokens);
    auto layer = c10::make_intrusive<ops::AttentionLayer>();
    layer->heads = s.heads;
    layer->kvHeads = s.keyHeads;
    layer->headDim = layer->rotaryDim = s.headDim;
    layer->queryLadders = headLadders(s.heads, tables.ladders, false);
    layer->keyLadders = headLadders(s.keyHeads, tables.ladders, false);
    const std::vector<std::int64_t> sizes = {tables.ladders, tables.positions, tables.planes};
    layer->queryCos = layer->keyCos = onDevice(tables.cosines.data(), sizes, at::kFloat);
    layer->querySin = layer->keySin = onDevice(tables.sines.data(), sizes, at::kFloat);
    layer->queryLadderIds = onDevice(layer->queryLadders.data(), {s.heads}, at::kByte);
    layer->keyLadderIds = onDevice(layer->keyLadders.data(), {s.keyHeads}, at::kByte);
    const at::Tensor packed = at::full({s.batch, s.tokens, s.rowWidth()}, 0.5, at::TensorOptions().dtype(at::kBFloat16).device(at::kCUDA, 0));
    ops::rotatePacked_(packed, *layer, false);
    const at::Tensor last = packed.select(1, s.tokens - 1).contiguous().to(at::kCPU);
    ErrorCount errors(s.dtype);
    for (std::int64_t h = 0; h < s.heads + s.keyHeads; ++h) {
        const int ladder = h < s.heads ? layer->queryLadders[std::size_t(h)] : layer->keyLadders[std::size_t(h - s.heads)];
        for (std::int64_t j = 0; j < tables.planes; ++j) {
            const long double angle = static_cast<long double>(plan.ladders[std::size_t(ladder)].theta[std::size_t(j)]) * static_cast<long double>(s.tokens - 1);
            const double c = double(std::cos(angle)), sine = double(std::sin(angle));
            errors.add(element(last.const_data_ptr(), s.dtype, h * s.headDim + j), 0.5 * c - 0.5 * sine, std::sqrt(0.5));
            errors.add(element(last.const_data_ptr(), s.dtype, h * s.headDim + j + tables.planes), 0.5 * c + 0.5 * sine, std::sqrt(0.5));
        }
    }
    Row row = valueRow(kManyElements, "bf16 half cuda", errors.worstUlp(), "ulp", atMost(1), device);
    row.details = errors.json();
    return row;
}

void addCuts(std::vector<Row>& rows, const SelftestOptions& options, const Problem& problem, Isa path, const std::string& device)
{
    const AlignedBuffer wanted = apply(problem, cpuRotate(cutWhole(), path), {Direction::Forward});
    std::int64_t different = 0;
    const auto compare = [&](const kernels::ParallelFor& parallelFor) {
        const AlignedBuffer got = apply(problem, cpuRotate(parallelFor, path), {Direction::Forward});
        different += std::memcmp(got.data(), wanted.data(), std::size_t(got.bytes())) != 0;
    };
    compare(cutWhole());
    compare(cutBackwards());
    for (const int threads : {1, options.threads > 0 ? options.threads : 2})
        withThreads(threads, [&] { compare(ops::parallelFor()); });
    rows.push_back(valueRow("rotary same bits for any cut", variantOf(problem, std::string(kernels::isaName(path))), double(different), "different results", atMost(0), device));
}

// One table as a run would build it, every row from 0 to 2^20, so that row arithmetic is met at full size.
Row wholeTable(const SelftestOptions& options, const std::string& device)
{
    Problem problem(options, Dtype::Float32, Pairing::HalfSplit);
    problem.shape.headDim = problem.shape.rotaryDim = 8;
    problem.shape.batch = 1;
    problem.plan = twoLadders(problem.shape);
    problem.tables = tablesUpTo(problem.plan, kLastPosition + 1);
    if (options.distort)
        options.distort(problem.tables);
    std::vector<std::int32_t> rows(problem.positions.begin(), problem.positions.end());
    problem.input = AlignedBuffer(problem.shape.elements() * 4);
    fillNormal(problem.input.data(), Dtype::Float32, problem.shape.elements(), 8);
    const AlignedBuffer result = apply(problem, [&](const Problem& p, std::byte* data, Direction direction) {
        kernels::RotaryParams params = rotaryCall(p.shape, p.tables, p.queryLadders, p.keyLadders, data, direction);
        params.positions = {rows.data(), 0, 0};
        kernels::rotate(params, ops::parallelFor());
    }, {Direction::Forward});
    const std::string path(kernels::isaName(kernels::bestIsa()));
    return accuracyRow(problem, "fp32 half " + path + ", tables of 2^20 + 1 rows, given positions", device, errorOf(problem, result, Direction::Forward), Direction::Forward);
}

}  // namespace

std::vector<Row> selftestRotary(const SelftestOptions& options)
{
    std::vector<Row> rows;
    for (const Isa path : kPaths) {
        const std::string name(kernels::isaName(path));
        const std::string device = cpuDevice();
        for (const Dtype type : kTypes) {
            for (const Pairing pairing : kPairings) {
                const Problem problem(options, type, pairing);
                if (!kernels::available(path)) {
                    rows.push_back(skipped("rotary vs float64", variantOf(problem, name), device, "this processor or build has no " + name));
                    continue;
                }
                addAccuracy(rows, problem, variantOf(problem, name), device, cpuRotate(ops::parallelFor(), path));
                addCuts(rows, options, problem, path, device);
            }
            if (kernels::available(path))
                rows.push_back(oddShapes(options, type, name, device, cpuRotate(ops::parallelFor(), path)));
        }
    }
    rows.push_back(wholeTable(options, cpuDevice()));
    for (const Dtype type : kTypes) {
        for (const Pairing pairing : kPairings) {
            const Problem problem(options, type, pairing);
            onCuda(rows, "rotary vs float64", variantOf(problem, "cuda"), [&](const std::string& device) { addAccuracy(rows, problem, variantOf(problem, "cuda"), device, cudaRotate); });
        }
        onCuda(rows, "rotary odd shapes vs float64", std::string(dtypeName(type)) + " cuda", [&](const std::string& device) { rows.push_back(oddShapes(options, type, "cuda", device, cudaRotate)); });
    }
    onCuda(rows, kManyElements, "bf16 half cuda", [&](const std::string& device) { rows.push_back(manyElements(device)); });
    return rows;
}

}  // namespace holo::bench
