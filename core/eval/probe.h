#pragma once

#include "core/eval/evaluator.h"

namespace holo::eval {

// What each head attends to, averaged over windows of the validation part (at most EvalSpec::trials of them) at each length. Queries of the second
// half of a window count, so that every distance up to half the length is open to all of them.
//   by_distance  mean weight on keys at distances [lo, hi): 0, 1, 2–3, 4–7, …
//   entropy      of the weights, nats; and as a share of the largest possible, ln(m + 1) for query m
//   first        weight on the first token (attention sink)
//   ends         weight that queries of the last eighth put on keys of the first eighth; `ends_even`: what even weights would give;
//                `ends_kernel`: mean of the ladder's own K(Δ)/M over the same pairs, what it alone says of them (an anti-periodic ladder is
//                negative there at Δ near N)
//   distance     mean distance of the weight
//   induction    on n different random tokens said twice: weight that queries of the second saying put on the token after their first saying
//   query_mean, key_mean  |mean over tokens| of each lane before the rotation; `undertrained_ratio`: its mean over lanes of planes that turn less
//                than once in the training context over that of the other rotated lanes (FoPE, arXiv 2412.17739, Fig. 7); null without both kinds
// {format, protocol, …, lengths:[{length, windows, ends_even, heads:[{layer, head, ladder, by_distance:[{lo,hi,mass}], entropy, entropy_share, first, ends,
//  ends_kernel, distance, induction}], lanes:[{layer, head, query_mean, key_mean, undertrained_ratio}]}]}
inline constexpr int kProbeWindows = 32;

}  // namespace holo::eval
