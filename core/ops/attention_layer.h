#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/intrusive_ptr.h>

#include "kernels/common/ladder_tables.h"

namespace holo::ops {

// Everything one layer's attention knows beside the packed projections. Made once for a (plan, length), never changed afterwards, shared by
// forward and backward. The score of query m and key n of head h is
//   s(m,n) = scale · headScale_h · queryScale_m · ⟨R_q[m] q, R_k[n] k⟩ − slope_h · (m−n),   −∞ outside the window of h
struct AttentionLayer : torch::CustomClassHolder {
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int rotaryDim = 0;
    kernels::Pairing pairing = kernels::Pairing::HalfSplit;
    // fp32 [ladder][position][plane]; the key tables are the query tables but for damped ladders. Undefined if no head rotates.
    at::Tensor queryCos, querySin, keyCos, keySin;
    std::vector<std::uint8_t> queryLadders, keyLadders;  // a head's ladder; kernels::kNoLadder: not rotated
    at::Tensor queryLadderIds, keyLadderIds;             // the same as uint8 tensors on the tables' device
    std::int64_t positionOffset = 0;                     // of the first token

    double scale = 1;                    // 1/√d times the temperature that all heads share
    std::vector<float> headScale;        // [H], empty: 1
    std::vector<float> queryScale;       // [T], empty: 1
    std::vector<float> slopes;           // [H], empty: 0
    std::vector<std::int32_t> windows;   // [H] keys a query sees, itself included; 0: all; empty: all
    at::Tensor mask;                     // slopes and windows as fp32 [1,H,T,T] for libraries that want it so; undefined: causal alone
    at::Tensor queryFactor;              // headScale·queryScale as fp32 [T,H,1]; undefined: 1

    std::int64_t rowWidth() const { return std::int64_t(heads + 2 * kvHeads) * headDim; }
    bool rotates() const { return queryCos.defined(); }
};

using AttentionLayerPtr = c10::intrusive_ptr<AttentionLayer>;

// The same for projections that are rotated already.
inline AttentionLayerPtr withoutRotation(const AttentionLayer& layer)
{
    auto copy = c10::make_intrusive<AttentionLayer>(layer);
    copy->queryCos = copy->querySin = copy->keyCos = copy->keySin = at::Tensor();
    return copy;
}

}  // namespace holo::ops
