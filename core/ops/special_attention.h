#pragma once

#include "core/ops/attention_layer.h"

namespace holo::ops {

// Landmark attention (Mohtashami and Jaggi, arXiv 2305.16300) with grouped softmax, dense: the last place of each block of `block` is its
// landmark. For a query in block B, weights over its own block and over the landmarks of all earlier blocks come from one softmax; the weight
// of an earlier block's landmark is then spread over that block's other tokens by a softmax of their own, and landmarks give no value.
//   w(j in b<B) = softmax_b(s)_j · softmax_*(s)_landmark(b),   w(j in B) = softmax_*(s)_j
// `retrieve` k > 0: a query of a head reads only the k earlier blocks whose landmarks score highest, at their true distances.
// qkv [B,T,(H+2·KV)·d] → [B,T,H·d]; rotated in place like attend(). `weights` (if given) receives [B,H,T,T].
at::Tensor attendLandmark(const at::Tensor& qkv, const AttentionLayerPtr& layer, int block, int retrieve = 0, at::Tensor* weights = nullptr);

// Learned Möbius transformations of queries (arXiv 2409.12175): with the lanes of a plane as one complex number z, the first `heads` query
// heads of rotated projections become (a·z + b)/(c·z + d), coefficients [heads, d/2, 4, 2] (a, b, c, d; real and imaginary part), elementwise.
// Near a pole |c·z + d|² counts as no less than 1e−4. Returns new packed projections.
at::Tensor mobiusQueries(const at::Tensor& rotated, const AttentionLayer& layer, int heads, const at::Tensor& coefficients);

}  // namespace holo::ops
