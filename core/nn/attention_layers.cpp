#include "core/nn/attention_layers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <ATen/ops/empty.h>

#include "core/base/error.h"
#include "core/ladder/phase_table.h"

namespace holo::nn {

namespace {

using ladder::HeadAssignment;
using ladder::Plan;

bool rotates(const Plan& plan, int index) { return plan.ladders[std::size_t(index)].kind != ladder::Kind::Nope; }

// Ladders of a layer's heads, each once.
std::vector<int> laddersOf(const Plan& plan, const std::vector<HeadAssignment>& heads)
{
    std::vector<int> used;
    for (const HeadAssignment& head : heads)
        if (rotates(plan, head.ladder) && std::find(used.begin(), used.end(), head.ladder) == used.end())
            used.push_back(head.ladder);
    if (used.size() >= kernels::kNoLadder)
        throw Error(ErrorKind::Unsupported, "a layer uses " + std::to_string(used.size()) + " ladders; allowed: at most 254.");
    return used;
}

struct Tables {
    at::Tensor cos, sin;
};

Tables tables(const Plan& plan, const std::vector<int>& used, std::int64_t positions, ladder::Side side, at::Device device)
{
    const std::int64_t planes = plan.shape.rotaryDim / 2;
    const auto options = at::TensorOptions().dtype(at::kFloat);
    Tables result{at::empty({std::int64_t(used.size()), positions, planes}, options), at::empty({std::int64_t(used.size()), positions, planes}, options)};
    for (std::size_t i = 0; i < used.size(); ++i) {
        const auto table = ladder::phaseTable(plan.ladders[std::size_t(used[i])], positions, side);
        if (table.planes != planes || table.positions != positions)
            throw Error(ErrorKind::Internal, "ladder " + plan.ladders[std::size_t(used[i])].name + " has " + std::to_string(table.planes) + " planes; the model rotates " + std::to_string(planes) + ".");
        const std::size_t count = std::size_t(positions * planes);
        std::memcpy(result.cos.mutable_data_ptr<float>() + i * count, table.cos.data(), count * sizeof(float));
        std::memcpy(result.sin.mutable_data_ptr<float>() + i * count, table.sin.data(), count * sizeof(float));
    }
    return {result.cos.to(device), result.sin.to(device)};
}

at::Tensor idTensor(const std::vector<std::uint8_t>& ids, at::Device device)
{
    at::Tensor tensor = at::empty({std::int64_t(ids.size())}, at::TensorOptions().dtype(at::kByte));
    std::memcpy(tensor.mutable_data_ptr<std::uint8_t>(), ids.data(), ids.size());
    return tensor.to(device);
}

at::Tensor biasMask(const ops::AttentionLayer& layer, std::int64_t length, at::Device device)
{
    at::Tensor mask = at::empty({1, layer.heads, length, length}, at::TensorOptions().dtype(at::kFloat));
    float* value = mask.mutable_data_ptr<float>();
    for (std::size_t h = 0; h < std::size_t(layer.heads); ++h) {
        const float slope = layer.slopes.empty() ? 0.0f : layer.slopes[h];
        const std::int64_t window = layer.windows.empty() ? 0 : layer.windows[h];
        for (std::int64_t m = 0; m < length; ++m)
            for (std::int64_t n = 0; n < length; ++n)
                *value++ = window > 0 && m - n >= window ? -std::numeric_limits<float>::infinity() : -slope * float(std::max<std::int64_t>(m - n, 0));
    }
    return mask.to(device);
}

at::Tensor queryFactors(const ops::AttentionLayer& layer, std::int64_t length, at::Device device)
{
    at::Tensor factor = at::empty({length, layer.heads, 1}, at::TensorOptions().dtype(at::kFloat));
    float* value = factor.mutable_data_ptr<float>();
    for (std::size_t m = 0; m < std::size_t(length); ++m)
        for (std::size_t h = 0; h < std::size_t(layer.heads); ++h)
            *value++ = (layer.headScale.empty() ? 1.0f : layer.headScale[h]) * (layer.queryScale.empty() ? 1.0f : layer.queryScale[m]);
    return factor.to(device);
}

ops::AttentionLayerPtr makeLayer(const Plan& plan, const std::vector<HeadAssignment>& heads, std::int64_t length, std::int64_t offset, at::Device device, bool mask)
{
    auto layer = c10::make_intrusive<ops::AttentionLayer>();
    const auto& shape = plan.shape;
    layer->heads = shape.heads;
    layer->kvHeads = shape.kvHeads;
    layer->headDim = shape.headDim;
    layer->rotaryDim = shape.rotaryDim;
    layer->pairing = shape.pairing == ladder::Pairing::HalfSplit ? kernels::Pairing::HalfSplit : kernels::Pairing::Interleaved;
    layer->positionOffset = offset;

    const std::vector<int> used = laddersOf(plan, heads);
    const int groups = shape.heads / shape.kvHeads;
    const auto idOf = [&](const HeadAssignment& head) {
        const auto it = std::find(used.begin(), used.end(), head.ladder);
        return it == used.end() ? kernels::kNoLadder : static_cast<std::uint8_t>(it - used.begin());
    };
    for (int h = 0; h < shape.heads; ++h) {
        layer->queryLadders.push_back(idOf(heads[std::size_t(h)]));
        if (h % groups == 0)
            layer->keyLadders.push_back(layer->queryLadders.back());
    }
    if (!used.empty() && shape.rotaryDim > 0) {
        const Tables query = tables(plan, used, offset + length, ladder::Side::Query, device);
        const Tables key = plan.separateKeyTables() ? tables(plan, used, offset + length, ladder::Side::Key, device) : query;
        layer->queryCos = query.cos;
        layer->querySin = query.sin;
        layer->keyCos = key.cos;
        layer->keySin = key.sin;
        layer->queryLadderIds = idTensor(layer->queryLadders, device);
        layer->keyLadderIds = idTensor(layer->keyLadders, device);
    }

    // A temperature that all heads share costs nothing as part of the scale.
    const double common = heads.front().temperature;
    layer->scale = common / std::sqrt(double(shape.headDim));
    if (std::any_of(heads.begin(), heads.end(), [&](const auto& head) { return head.temperature != common; }))
        for (const HeadAssignment& head : heads)
            layer->headScale.push_back(static_cast<float>(head.temperature / common));
    const bool anyWindow = std::any_of(heads.begin(), heads.end(), [](const auto& head) { return head.window > 0 && head.form != ladder::AttentionForm::Landmark; });
    if (plan.logLengthTemperature && !anyWindow)
        for (std::int64_t m = offset; m < offset + length; ++m)
            layer->queryScale.push_back(static_cast<float>(std::log(plan.temperatureOffset + double(m) + 1) / std::log(plan.temperatureOffset + 1)));
    if (!layer->headScale.empty() || !layer->queryScale.empty())
        layer->queryFactor = queryFactors(*layer, length, device);
    if (std::any_of(heads.begin(), heads.end(), [](const auto& head) { return head.slope != 0; }))
        for (const HeadAssignment& head : heads)
            layer->slopes.push_back(static_cast<float>(head.slope));
    if (anyWindow)
        for (const HeadAssignment& head : heads)
            layer->windows.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(head.window, std::numeric_limits<std::int32_t>::max())));
    if (mask && (!layer->slopes.empty() || !layer->windows.empty()))
        layer->mask = biasMask(*layer, length, device);
    return layer;
}

bool sameAssignment(const std::vector<HeadAssignment>& a, const std::vector<HeadAssignment>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const HeadAssignment& x, const HeadAssignment& y) {
        return x.ladder == y.ladder && x.slope == y.slope && x.window == y.window && x.temperature == y.temperature && x.form == y.form;
    });
}

}  // namespace

std::vector<ops::AttentionLayerPtr> attentionLayers(const Plan& plan, std::int64_t length, std::int64_t offset, at::Device device, bool mask)
{
    if (offset < 0)
        throw Error(ErrorKind::Usage, "position offset is " + std::to_string(offset) + "; allowed: 0 or more.");
    std::vector<ops::AttentionLayerPtr> layers;
    for (std::size_t l = 0; l < plan.heads.size(); ++l) {
        const auto same = std::find_if(plan.heads.begin(), plan.heads.begin() + std::ptrdiff_t(l), [&](const auto& other) { return sameAssignment(other, plan.heads[l]); });
        const auto index = std::size_t(same - plan.heads.begin());
        layers.push_back(index < l ? layers[index] : makeLayer(plan, plan.heads[l], length, offset, device, mask));
    }
    return layers;
}

}  // namespace holo::nn
