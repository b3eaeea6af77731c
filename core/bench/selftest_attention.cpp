#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/bench/attention_data.h"
#include "core/bench/environment.h"
#include "core/bench/selftest.h"
#include "core/bench/threads.h"
#include "core/bench/ulp.h"
#include "core/ops/kernel_bridge.h"

namespace holo::bench {

namespace {

using kernels::Dtype;
using kernels::Isa;
using kernels::Pairing;

struct Case {
    std::string name;
    PackedShape shape;
    bool features;
};

std::vector<Case> cases(Dtype dtype, Pairing pairing)
{
    return {{"d16", {2, 130, 4, 4, 16, 16, dtype, pairing}, false}, {"d40 with slopes, windows, first keys, temperatures", {2, 75, 8, 4, 40, 24, dtype, pairing}, true}};
}

std::vector<std::int64_t> firstPositions(std::int64_t count)
{
    std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
}

ErrorCount errorOf(const AlignedBuffer& got, const AlignedBuffer& wanted, Dtype dtype)
{
    ErrorCount errors(dtype);
    const std::int64_t count = wanted.bytes() / 8;
    double square = 0;
    for (std::int64_t i = 0; i < count; ++i)
        square += element(wanted.data(), Dtype::Float64, i) * element(wanted.data(), Dtype::Float64, i);
    const double scale = std::sqrt(square / double(count));  // sums of products: an ulp at the usual size of an element
    for (std::int64_t i = 0; i < count; ++i)
        errors.addAtScale(element(got.data(), dtype, i), element(wanted.data(), Dtype::Float64, i), std::max(scale, std::abs(element(wanted.data(), Dtype::Float64, i))));
    return errors;
}

Row errorRow(const std::string& name, const std::string& variant, const ErrorCount& errors, Dtype dtype, double factor, const std::string& device)
{
    // Float arithmetic inside; the 16-bit types add one rounding of each result.
    const double limit = dtype == Dtype::Float32 ? 1e-6 : dtype == Dtype::BFloat16 ? 3e-3 : 4e-4;
    Row row = valueRow(name, variant, errors.normError(), "of the norm", atMost(limit * factor), device);
    row.details = errors.json();
    return row;
}


void compute(AttentionData& data, const kernels::ParallelFor& parallelFor, Isa path)
{
    kernels::attentionForward(data.params, data.out, data.logSumExp.data(), parallelFor, path);
    kernels::attentionBackward(data.params, data.gradients, parallelFor, path);
}

std::vector<char> bytesAfter(AttentionData& data, const kernels::ParallelFor& parallelFor, Isa path)
{
    std::memset(data.output.data(), 0xA5, std::size_t(data.output.bytes()));
    std::memset(data.packedGradient.data(), 0xA5, std::size_t(data.packedGradient.bytes()));
    compute(data, parallelFor, path);
    std::vector<char> bytes(std::size_t(data.output.bytes() + data.packedGradient.bytes()));
    std::memcpy(bytes.data(), data.output.data(), std::size_t(data.output.bytes()));
    std::memcpy(bytes.data() + data.output.bytes(), data.packedGradient.data(), std::size_t(data.packedGradient.bytes()));
    return bytes;
}

}  // namespace

std::vector<Row> selftestAttention(const SelftestOptions& options)
{
    std::vector<Row> rows;
    const std::string device = cpuDevice();
    for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16, Dtype::Float16}) {
        for (const Pairing pairing : {Pairing::HalfSplit, Pairing::Interleaved}) {
            for (const Case& c : cases(dtype, pairing)) {
                const TableSet tables = tablesAt(twoLadders(c.shape), firstPositions(c.shape.tokens));
                TableSet given = tables;
                if (options.distort)
                    options.distort(given);
                AttentionData data(c.shape, c.features, given);
                AttentionData wanted(data, tables, Dtype::Float64);
                kernels::attentionReference(wanted.params, wanted.out, nullptr);
                kernels::attentionReferenceBackward(wanted.params, wanted.gradients);
                for (const Isa path : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
                    const std::string isa(kernels::isaName(path));
                    const std::string variant = std::string(dtypeName(dtype)) + " " + (pairing == Pairing::HalfSplit ? "half " : "interleaved ") + isa + " " + c.name;
                    if (!kernels::available(path)) {
                        rows.push_back(skipped("attention vs float64", variant, device, "this processor or build has no " + isa));
                        continue;
                    }
                    const auto bytes = bytesAfter(data, ops::parallelFor(), path);
                    rows.push_back(errorRow("attention forward vs float64", variant, errorOf(data.output, wanted.output, dtype), dtype, 1, device));
                    rows.push_back(errorRow("attention backward vs float64", variant, errorOf(data.packedGradient, wanted.packedGradient, dtype), dtype, 2, device));
                    int different = bytesAfter(data, cutBackwards(), path) != bytes;
                    for (const int threads : {1, options.threads > 0 ? options.threads : 2})
                        withThreads(threads, [&] { different += bytesAfter(data, ops::parallelFor(), path) != bytes; });
                    rows.push_back(valueRow("attention same bits for any cut", variant, different, "different results", atMost(0), device));
                }
            }
        }
    }
    return rows;
}

}  // namespace holo::bench
