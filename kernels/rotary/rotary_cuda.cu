#include "kernels/common/half.h"
#include "kernels/rotary/rotary_cuda.h"
#include "kernels/rotary/rotary_launch.h"
#include "kernels/rotary/rotary_math.h"

#include <cuda_runtime.h>

#include <type_traits>

// The GPU twin of the CPU rotation. A block serves one token in several batch rows (RotaryLaunch): it stages the token's table rows
// in shared memory and reuses them over heads and rows. Where every address allows it a thread moves
// 16 bytes at a time and owns both members of its planes, so that rotation in place needs no synchronisation.
namespace holo::kernels {

namespace {

constexpr std::size_t kMaxStagedBytes = 32 * 1024;

// Where the table rows of each group lie in shared memory, in floats; groups with the same tables share them.
struct Staging {
    std::int32_t first[kMaxHeadGroups];
    bool owns[kMaxHeadGroups];
    std::int32_t floats;  // cosines and sines of all; 0: tables are read from global memory
};

template <typename T, int width>
struct alignas(sizeof(T) * width) Pack {
    T values[width];
};

template <int width, typename T, typename Value>
__device__ __forceinline__ void rotatePlanes(const T* in, T* out, const RotaryParams& p, std::int32_t plane, const float* cosines,
    const float* sines, float sign)
{
    const std::int32_t planes = p.rotaryDim / 2;
    const bool halves = p.pairing == Pairing::HalfSplit;
    // Both pairings move two packs: the two halves, or two neighbouring packs of neighbours.
    const std::int32_t first = halves ? plane : 2 * plane;
    const std::int32_t second = halves ? plane + planes : 2 * plane + width;
    Pack<T, width> a = *reinterpret_cast<const Pack<T, width>*>(in + first);
    Pack<T, width> b = *reinterpret_cast<const Pack<T, width>*>(in + second);
#pragma unroll
    for (int w = 0; w < width; ++w) {
        T& low = halves ? a.values[w] : 2 * w < width ? a.values[2 * w % width] : b.values[2 * w % width];
        T& high = halves ? b.values[w] : 2 * w + 1 < width ? a.values[(2 * w + 1) % width] : b.values[(2 * w + 1) % width];
        Value x0 = toFloat(low);
        Value x1 = toFloat(high);
        rotatePair(x0, x1, Value(cosines[plane + w]), Value(sines[plane + w] * sign));
        fromFloat(x0, low);
        fromFloat(x1, high);
    }
    *reinterpret_cast<Pack<T, width>*>(out + first) = a;
    *reinterpret_cast<Pack<T, width>*>(out + second) = b;
}

template <typename T, int width>
__global__ void __launch_bounds__(RotaryLaunch::kThreads)
    rotaryKernel(const __grid_constant__ RotaryParams p, const __grid_constant__ RotaryLaunch launch,
        const __grid_constant__ Staging staging, const std::int64_t firstBlock)
{
    using Value = std::conditional_t<sizeof(T) == 8, double, float>;
    extern __shared__ float staged[];
    const std::int64_t block = firstBlock + blockIdx.x;
    const std::int32_t planes = p.rotaryDim / 2;
    const float sign = p.direction == Direction::Forward ? 1.0f : -1.0f;
    const std::int64_t token = block / launch.blocksPerToken;
    const std::int64_t position = p.positions.at(block % launch.blocksPerToken * launch.rows, token);

    if (staging.floats > 0) {
        for (std::int32_t g = 0; g < p.groups; ++g) {
            const LadderTables& tables = p.group[g].tables;
            if (!staging.owns[g])
                continue;
            const std::int32_t values = tables.ladders * planes;
            for (std::int32_t i = threadIdx.x; i < values; i += RotaryLaunch::kThreads) {
                const std::int64_t at = tables.rowOffset(i / planes, position) + i % planes;
                staged[staging.first[g] + i] = tables.cosines[at];
                staged[staging.first[g] + values + i] = tables.sines[at];
            }
        }
        __syncthreads();
    }

    const std::int64_t slots = launch.slots();
    for (std::int64_t index = threadIdx.x; index < slots; index += RotaryLaunch::kThreads) {
        RotarySlot slot;
        if (!launch.slot(block, index, slot))
            continue;
        const RotaryHeads& heads = p.group[slot.group];
        const T* in = static_cast<const T*>(heads.input)
            + rotaryOffset(heads.inputBatch, heads.inputToken, heads.inputHead, slot.b, slot.t, slot.head);
        T* out = static_cast<T*>(heads.output)
            + rotaryOffset(heads.outputBatch, heads.outputToken, heads.outputHead, slot.b, slot.t, slot.head);
        const std::int32_t ladder = heads.ladders ? heads.ladders[slot.head] : 0;
        if (slot.plane >= 0 && ladder != kNoLadder) {
            const float* cosines;
            const float* sines;
            if (staging.floats > 0) {
                cosines = staged + staging.first[slot.group] + ladder * planes;
                sines = cosines + heads.tables.ladders * planes;
            } else {
                cosines = heads.tables.cosines + heads.tables.rowOffset(ladder, position);
                sines = heads.tables.sines + heads.tables.rowOffset(ladder, position);
            }
            rotatePlanes<width, T, Value>(in, out, p, slot.plane, cosines, sines, sign);
        } else if (in != out) {
            // Dimensions beyond the rotated ones, and whole heads without a ladder: there a slot of planes stands for two packs.
            const std::int32_t first = slot.plane >= 0 ? 2 * slot.plane : slot.dimension;
            using Words = Pack<T, width>;
            *reinterpret_cast<Words*>(out + first) = *reinterpret_cast<const Words*>(in + first);
            if (slot.plane >= 0)
                *reinterpret_cast<Words*>(out + first + width) = *reinterpret_cast<const Words*>(in + first + width);
        }
    }
}

Staging stagingOf(const RotaryParams& p)
{
    Staging staging{};
    for (std::int32_t g = 0; g < p.groups; ++g) {
        const LadderTables& tables = p.group[g].tables;
        if (g > 0 && tables.cosines == p.group[g - 1].tables.cosines && tables.sines == p.group[g - 1].tables.sines
            && tables.ladders == p.group[g - 1].tables.ladders && tables.positions == p.group[g - 1].tables.positions) {
            staging.first[g] = staging.first[g - 1];
            continue;
        }
        staging.first[g] = staging.floats;
        staging.owns[g] = tables.cosines != nullptr;
        staging.floats += tables.cosines ? 2 * tables.ladders * (p.rotaryDim / 2) : 0;
    }
    if (staging.floats * sizeof(float) > kMaxStagedBytes)
        staging = {};
    return staging;
}

template <typename T, int width>
cudaError_t launchTyped(const RotaryParams& p, const RotaryLaunch& launch, cudaStream_t stream)
{
    const Staging staging = stagingOf(p);
    for (std::int64_t first = 0; first < launch.blocks; first += RotaryLaunch::kMaxBlocks) {
        const std::int64_t rest = launch.blocks - first;
        const auto blocks = static_cast<unsigned>(rest < RotaryLaunch::kMaxBlocks ? rest : RotaryLaunch::kMaxBlocks);
        rotaryKernel<T, width><<<blocks, RotaryLaunch::kThreads, staging.floats * sizeof(float), stream>>>(p, launch, staging, first);
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

template <typename T>
cudaError_t launchWidth(const RotaryParams& p, const RotaryLaunch& launch, cudaStream_t stream)
{
    constexpr int wide = 16 / sizeof(T);
    return launch.width == wide ? launchTyped<T, wide>(p, launch, stream) : launchTyped<T, 1>(p, launch, stream);
}

}  // namespace

int launchRotary(const RotaryParams& p, void* opaqueStream)
{
    int device = 0, processors = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error != cudaSuccess)
        return error;
    const RotaryLaunch launch = rotaryLaunch(p, processors);
    if (launch.blocks == 0)
        return cudaSuccess;
    const auto stream = static_cast<cudaStream_t>(opaqueStream);
    switch (p.dtype) {
    case Dtype::Float32:
        return launchWidth<float>(p, launch, stream);
    case Dtype::BFloat16:
        return launchWidth<BFloat16>(p, launch, stream);
    case Dtype::Float16:
        return launchWidth<Float16>(p, launch, stream);
    case Dtype::Float64:
        return launchWidth<double>(p, launch, stream);
    }
    return cudaErrorInvalidValue;
}

}  // namespace holo::kernels
