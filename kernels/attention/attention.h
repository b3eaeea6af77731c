#pragma once

#include "kernels/common/dtype.h"
#include "kernels/common/isa.h"
#include "kernels/common/ladder_tables.h"
#include "kernels/common/parallel_for.h"

#include <cstdint>
#include <optional>
#include <string>

namespace holo::kernels {

// A tensor [batch][token][head][headDim] by its first element and strides in elements; the last dimension is dense. The q, k and v
// parts of a packed QKV are three such views of one buffer.
struct AttentionInput {
    const void* data = nullptr;
    std::int64_t batchStride = 0, tokenStride = 0, headStride = 0;
};
struct AttentionOutput {
    void* data = nullptr;
    std::int64_t batchStride = 0, tokenStride = 0, headStride = 0;
};

// Causal attention on the CPU for heads of up to 256 dimensions; q and k are rotated while they are packed, each head by its ladder:
//   s(i,j) = scale · headScale[h] · queryScale[i] · ⟨R_q q_i, R_k k_j⟩ − slope[h] · (p_i − j),   p_i = i + keys − queries
//   out_i  = Σ_j softmax_j(s) v_j  over the keys with  p_i − window[h] < j <= p_i,  j >= firstKey[i]
// Queries are the last `queries` of the `keys` tokens: all of them in training, the new ones when keys come from a cache. A query
// without any key gets output 0, logsumexp −∞ and gives no gradient. Scores and sums are float whatever the storage type.
// Query head h reads key head h / (heads / keyHeads).
struct AttentionParams {
    std::int64_t batch = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int32_t heads = 0;
    std::int32_t keyHeads = 0;
    std::int32_t headDim = 0;
    Dtype dtype = Dtype::Float32;  // of q, k, v, out and gradients; Float64 only in the reference
    AttentionInput q, k, v;

    // Rotation. rotaryDim 0: q and k come as they are. A null keyTables.cosines: k is already rotated (a cache of rotated keys).
    std::int32_t rotaryDim = 0;
    Pairing pairing = Pairing::HalfSplit;
    LadderTables queryTables;
    LadderTables keyTables;                      // equal to queryTables except for xPos
    const std::uint8_t* queryLadders = nullptr;  // [heads], null: ladder 0; kNoLadder allowed
    const std::uint8_t* keyLadders = nullptr;    // [keyHeads]
    PositionMap positions;                       // table row of key j; query i takes that of key p_i

    float scale = 1;                           // usually 1/√headDim, times a constant temperature
    const float* headScale = nullptr;          // [heads], null: 1
    const float* queryScale = nullptr;         // [queries], null: 1
    const float* slopes = nullptr;             // [heads] ALiBi, positive pushes far keys down; null: none
    const std::int32_t* windows = nullptr;     // [heads] number of keys a query sees, itself included; 0 or less: all; null: all
    const std::int32_t* firstKey = nullptr;    // [batch][queries] first key that a query may see (left padding, packed documents)
    std::int64_t firstKeyBatchStride = 0;      // 0: the same for every batch row
};

// out[batch][query][head][headDim]; logSumExp[batch][heads][queries], natural, dense, null if no backward follows.
// Throws std::invalid_argument with the sentence of attentionProblem(), or if the path asked for is not available.
// Bits do not depend on how the work is cut.
void attentionForward(const AttentionParams& params, const AttentionOutput& out, float* logSumExp,
    const ParallelFor& parallelFor = serialFor, std::optional<Isa> path = {});

// Gradients of q, k and v *before* rotation and scaling (the rotation is undone with the transposed tables), from what forward left.
// dq, dk, dv are overwritten; they may be the parts of one packed dQKV, and must not overlap q, k, v, out or dout.
// queryScale, headScale, slopes and tables get no gradient.
struct AttentionGradients {
    AttentionInput out;
    AttentionInput dout;
    const float* logSumExp = nullptr;
    AttentionOutput dq, dk, dv;
};
void attentionBackward(const AttentionParams& params, const AttentionGradients& gradients, const ParallelFor& parallelFor = serialFor,
    std::optional<Isa> path = {});

// The same in double with whole score rows, one thread. Kept as the yardstick; storage may also be Float64.
// Of the gradients only logSumExp and out are recomputed inside, so they may be null here.
void attentionReference(const AttentionParams& params, const AttentionOutput& out, double* logSumExp);
void attentionReferenceBackward(const AttentionParams& params, const AttentionGradients& gradients);

// What is wrong with the parameters, as one sentence; nothing if all is well.
std::optional<std::string> attentionProblem(const AttentionParams& params);

// True where this kernel serves the shape at all (storage type, head dimension); whether it is the faster choice is measured.
bool attentionSupports(const AttentionParams& params);

// FLOPs of unmasked pairs: 4·headDim a pair forward, 10·headDim backward (scores recomputed); rotation and softmax not counted.
struct AttentionCost {
    double pairs = 0;
    double forwardFlops = 0;
    double backwardFlops = 0;
};
AttentionCost attentionCost(const AttentionParams& params);

}  // namespace holo::kernels
