#pragma once

#include <cstdint>
#include <vector>

#include "core/bench/rotary_data.h"
#include "kernels/attention/attention.h"

namespace holo::bench {

// One causal attention over packed projections with everything it reads and writes. q, k and v are views of one buffer, their gradients of
// another of the same layout.
class AttentionData {
public:
    // With `features`: slopes, windows, first keys and temperatures, each differing from head to head or query to query.
    AttentionData(const PackedShape& shape, bool features, const TableSet& tables);
    AttentionData(const AttentionData&) = delete;

    // The same values as double, with other tables: the problem of the reference.
    AttentionData(const AttentionData& other, const TableSet& tables, kernels::Dtype dtype);

    std::int64_t outElements() const { return m_shape.batch * m_shape.tokens * m_shape.heads * m_shape.headDim; }
    std::int64_t packedElements() const { return m_shape.elements(); }
    const PackedShape& shape() const { return m_shape; }

    kernels::AttentionParams params;
    kernels::AttentionOutput out;
    kernels::AttentionGradients gradients;

    AlignedBuffer packed, output, outputGradient, packedGradient;
    std::vector<float> logSumExp;

private:
    void bind();

    PackedShape m_shape;
    const TableSet* m_tables;
    bool m_features = false;
    std::vector<std::uint8_t> m_queryLadders, m_keyLadders;
    std::vector<float> m_slopes, m_headScales, m_queryScales;
    std::vector<std::int32_t> m_windows, m_firstKeys;
};

}  // namespace holo::bench
