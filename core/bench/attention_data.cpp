#include "core/bench/attention_data.h"

#include <cmath>

namespace holo::bench {

namespace {

AlignedBuffer normals(kernels::Dtype dtype, std::int64_t count, std::uint64_t seed)
{
    AlignedBuffer buffer(count * kernels::sizeOf(dtype));
    fillNormal(buffer.data(), dtype, count, seed);
    return buffer;
}

AlignedBuffer asDouble(const AlignedBuffer& from, kernels::Dtype dtype)
{
    const std::int64_t count = from.bytes() / kernels::sizeOf(dtype);
    AlignedBuffer buffer(count * 8);
    for (std::int64_t i = 0; i < count; ++i)
        reinterpret_cast<double*>(buffer.data())[i] = element(from.data(), dtype, i);
    return buffer;
}

}  // namespace

AttentionData::AttentionData(const PackedShape& shape, bool features, const TableSet& tables)
    : m_shape(shape)
    , m_tables(&tables)
    , m_features(features)
{
    packed = normals(shape.dtype, shape.elements(), 11);
    outputGradient = normals(shape.dtype, outElements(), 12);
    output = AlignedBuffer(outElements() * kernels::sizeOf(shape.dtype));
    packedGradient = AlignedBuffer(packed.bytes());
    bind();
}

AttentionData::AttentionData(const AttentionData& other, const TableSet& tables, kernels::Dtype dtype)
    : m_shape(other.m_shape)
    , m_tables(&tables)
    , m_features(other.m_features)
{
    m_shape.dtype = dtype;
    packed = asDouble(other.packed, other.m_shape.dtype);
    outputGradient = asDouble(other.outputGradient, other.m_shape.dtype);
    output = AlignedBuffer(outElements() * 8);
    packedGradient = AlignedBuffer(packed.bytes());
    bind();
}

void AttentionData::bind()
{
    const PackedShape& s = m_shape;
    const std::int64_t size = kernels::sizeOf(s.dtype);
    const auto at = [&](const AlignedBuffer& buffer, std::int64_t head) { return buffer.data() + head * s.headDim * size; };
    const std::int64_t rowBatch = s.tokens * s.rowWidth();
    const std::int64_t outRow = std::int64_t(s.heads) * s.headDim;
    const auto input = [&](std::int64_t head) { return kernels::AttentionInput{at(packed, head), rowBatch, s.rowWidth(), s.headDim}; };
    const auto gradient = [&](std::int64_t head) { return kernels::AttentionOutput{at(packedGradient, head), rowBatch, s.rowWidth(), s.headDim}; };

    m_queryLadders = headLadders(s.heads, m_tables->ladders, m_features);
    for (std::int32_t h = 0; h < s.keyHeads; ++h)
        m_keyLadders.push_back(m_queryLadders[std::size_t(h * (s.heads / s.keyHeads))]);
    logSumExp.resize(std::size_t(s.batch * s.heads * s.tokens));

    params.batch = s.batch;
    params.queries = params.keys = s.tokens;
    params.heads = s.heads;
    params.keyHeads = s.keyHeads;
    params.headDim = s.headDim;
    params.dtype = s.dtype;
    params.q = input(0);
    params.k = input(s.heads);
    params.v = input(s.heads + s.keyHeads);
    params.rotaryDim = s.rotaryDim;
    params.pairing = s.pairing;
    params.queryTables = params.keyTables = m_tables->view();
    params.queryLadders = m_queryLadders.data();
    params.keyLadders = m_keyLadders.data();
    params.scale = float(1 / std::sqrt(double(s.headDim)));
    if (m_features) {
        for (std::int32_t h = 0; h < s.heads; ++h) {
            m_slopes.push_back(0.2f / float(h + 1));
            m_windows.push_back(h == 0 ? 0 : 3 + 7 * h);
            m_headScales.push_back(0.8f + 0.1f * float(h));
        }
        for (std::int64_t i = 0; i < s.tokens; ++i)
            m_queryScales.push_back(1.0f + 0.01f * float(i % 13));
        for (std::int64_t i = 0; i < s.batch * s.tokens; ++i)
            m_firstKeys.push_back(i % 11 == 5 ? std::int32_t(s.tokens) : std::int32_t(i % 5));  // a row without any key now and then
        params.slopes = m_slopes.data();
        params.windows = m_windows.data();
        params.headScale = m_headScales.data();
        params.queryScale = m_queryScales.data();
        params.firstKey = m_firstKeys.data();
        params.firstKeyBatchStride = s.tokens;
    }
    out = {output.data(), s.tokens * outRow, outRow, s.headDim};
    gradients.out = {output.data(), s.tokens * outRow, outRow, s.headDim};
    gradients.dout = {outputGradient.data(), s.tokens * outRow, outRow, s.headDim};
    gradients.logSumExp = logSumExp.data();
    gradients.dq = gradient(0);
    gradients.dk = gradient(s.heads);
    gradients.dv = gradient(s.heads + s.keyHeads);
}

}  // namespace holo::bench
