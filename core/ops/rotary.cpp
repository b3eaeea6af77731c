#include "core/ops/rotary.h"

#include "core/base/error.h"
#include "core/ops/device.h"
#include "core/ops/kernel_bridge.h"
#include "kernels/rotary/rotary.h"

namespace holo::ops {

namespace {

kernels::RotaryHeads headGroup(const at::Tensor& qkv, int first, int heads, int headDim)
{
    kernels::RotaryHeads group;
    char* data = static_cast<char*>(qkv.mutable_data_ptr()) + std::int64_t(first) * headDim * qkv.element_size();
    group.input = data;
    group.output = data;
    group.heads = heads;
    group.inputBatch = group.outputBatch = qkv.stride(0);
    group.inputToken = group.outputToken = qkv.stride(1);
    group.inputHead = group.outputHead = headDim;
    return group;
}

}  // namespace

void rotatePacked_(const at::Tensor& qkv, const AttentionLayer& layer, bool backward)
{
    if (!layer.rotates())
        return;
    if (qkv.dim() != 3 || qkv.size(2) != layer.rowWidth() || qkv.stride(2) != 1)
        throw Error(ErrorKind::Internal, "rotary: packed projections need the dense shape [batch, tokens, " + std::to_string(layer.rowWidth()) + "].");
    kernels::RotaryParams params;
    params.batch = qkv.size(0);
    params.tokens = qkv.size(1);
    params.headDim = layer.headDim;
    params.rotaryDim = layer.rotaryDim;
    params.pairing = layer.pairing;
    params.dtype = kernelDtype(qkv.scalar_type());
    params.direction = backward ? kernels::Direction::Backward : kernels::Direction::Forward;
    params.positions.offset = layer.positionOffset;
    params.groups = 2;
    params.group[0] = headGroup(qkv, 0, layer.heads, layer.headDim);
    params.group[0].tables = ladderTables(layer.queryCos, layer.querySin);
    params.group[1] = headGroup(qkv, layer.heads, layer.kvHeads, layer.headDim);
    params.group[1].tables = ladderTables(layer.keyCos, layer.keySin);
    if (!qkv.is_cpu()) {
        params.group[0].ladders = layer.queryLadderIds.const_data_ptr<std::uint8_t>();
        params.group[1].ladders = layer.keyLadderIds.const_data_ptr<std::uint8_t>();
        rotateOnCuda(params, qkv.device());
        return;
    }
    params.group[0].ladders = layer.queryLadders.data();
    params.group[1].ladders = layer.keyLadders.data();
    try {
        kernels::rotate(params, parallelFor());
    } catch (const std::invalid_argument& problem) {
        throw Error(ErrorKind::Internal, std::string("rotary: ") + problem.what());
    }
}

}  // namespace holo::ops
