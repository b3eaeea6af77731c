#include "core/bench/rotary_data.h"

#include <algorithm>
#include <functional>

#include "core/base/random.h"
#include "core/config/scheme_json.h"
#include "core/ladder/phase_table.h"
#include "kernels/common/half.h"

namespace holo::bench {

namespace {

TableSet collect(const ladder::Plan& plan, std::int64_t positions, const std::function<ladder::PhaseTable(const ladder::Ladder&)>& tableOf)
{
    TableSet set;
    set.ladders = std::int32_t(plan.ladders.size());
    set.positions = positions;
    set.planes = plan.shape.rotaryDim / 2;
    for (const ladder::Ladder& ladder : plan.ladders) {
        const ladder::PhaseTable table = tableOf(ladder);
        set.cosines.insert(set.cosines.end(), table.cos.begin(), table.cos.end());
        set.sines.insert(set.sines.end(), table.sin.begin(), table.sin.end());
    }
    return set;
}

template <class T>
void fillTyped(T* data, std::int64_t count, std::uint64_t seed)
{
    RandomStream random(seed, "bench.values");
    for (std::int64_t i = 0; i < count; ++i)
        kernels::fromFloat(float(random.normal()), data[i]);
}

}  // namespace

TableSet tablesAt(const ladder::Plan& plan, std::span<const std::int64_t> positions)
{
    const std::int64_t length = *std::max_element(positions.begin(), positions.end()) + 1;
    return collect(plan, std::int64_t(positions.size()), [&](const ladder::Ladder& ladder) { return ladder::phaseTableAt(ladder, positions, length); });
}

TableSet tablesUpTo(const ladder::Plan& plan, std::int64_t length)
{
    return collect(plan, length, [&](const ladder::Ladder& ladder) { return ladder::phaseTable(ladder, length); });
}

ladder::Plan twoLadders(const PackedShape& shape)
{
    ladder::ModelShape model;
    model.heads = model.kvHeads = 2;
    model.headDim = shape.headDim;
    model.rotaryDim = shape.rotaryDim;
    return ladder::resolve(config::parseScheme("hybrid:share=0.5,special=mobius"), model);
}

std::vector<std::uint8_t> headLadders(std::int32_t heads, std::int32_t ladders, bool unrotated)
{
    std::vector<std::uint8_t> ids;
    for (std::int32_t h = 0; h < heads; ++h)
        ids.push_back(unrotated && h >= heads - heads / 3 ? kernels::kNoLadder : std::uint8_t(h % ladders));
    return ids;
}

double element(const void* data, kernels::Dtype dtype, std::int64_t index)
{
    switch (dtype) {
    case kernels::Dtype::Float32: return static_cast<const float*>(data)[index];
    case kernels::Dtype::BFloat16: return kernels::toFloat(static_cast<const kernels::BFloat16*>(data)[index]);
    case kernels::Dtype::Float16: return kernels::toFloat(static_cast<const kernels::Float16*>(data)[index]);
    case kernels::Dtype::Float64: return static_cast<const double*>(data)[index];
    }
    return 0;
}

void fillNormal(void* data, kernels::Dtype dtype, std::int64_t count, std::uint64_t seed)
{
    switch (dtype) {
    case kernels::Dtype::Float32: return fillTyped(static_cast<float*>(data), count, seed);
    case kernels::Dtype::BFloat16: return fillTyped(static_cast<kernels::BFloat16*>(data), count, seed);
    case kernels::Dtype::Float16: return fillTyped(static_cast<kernels::Float16*>(data), count, seed);
    case kernels::Dtype::Float64: {
        double* out = static_cast<double*>(data);
        RandomStream random(seed, "bench.values");
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = random.normal();
    }
    }
}

kernels::RotaryParams rotaryCall(const PackedShape& shape, const TableSet& tables, const std::vector<std::uint8_t>& queryLadders,
    const std::vector<std::uint8_t>& keyLadders, void* data, kernels::Direction direction)
{
    kernels::RotaryParams params;
    params.batch = shape.batch;
    params.tokens = shape.tokens;
    params.headDim = shape.headDim;
    params.rotaryDim = shape.rotaryDim;
    params.pairing = shape.pairing;
    params.dtype = shape.dtype;
    params.direction = direction;
    params.groups = 2;
    for (int g = 0; g < 2; ++g) {
        kernels::RotaryHeads& group = params.group[g];
        group.heads = g == 0 ? shape.heads : shape.keyHeads;
        group.output = static_cast<std::byte*>(data) + (g == 0 ? 0 : std::int64_t(shape.heads) * shape.headDim * kernels::sizeOf(shape.dtype));
        group.input = group.output;
        group.inputBatch = group.outputBatch = shape.tokens * shape.rowWidth();
        group.inputToken = group.outputToken = shape.rowWidth();
        group.inputHead = group.outputHead = shape.headDim;
        group.tables = tables.view();
        group.ladders = g == 0 ? queryLadders.data() : keyLadders.data();
    }
    return params;
}

}  // namespace holo::bench
