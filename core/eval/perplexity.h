#pragma once

#include "core/eval/evaluator.h"

namespace holo::eval {

// exp(sum of −log p / number of scored tokens) of the validation part at each length. The first token of a window has nothing before it and is
// never scored. Modes:
//   blocks     windows of `length` inputs side by side; every target is scored once, with 1 … length tokens before it (average length/2)
//   sliding    windows of `length` inputs, `stride` apart; the first scores all its targets, each later one only the last `stride`: every token
//              once, with at least length − stride tokens before it (stream corpora)
//   truncated  the first `length` tokens of every document, at most (documents are told apart by end-of-document ids, or one a window)
//   tail       the same tokens at every length: the last `stride` targets of windows of the longest length, with `length` inputs before and with them
// At most EvalSpec::perplexityTokens tokens are scored at each length. by_position groups the negative log-likelihood by the number of tokens before
// the scored one, in buckets [2^k, 2^(k+1)), at the longest length that ran.
inline constexpr const char* kPerplexityModes[] = {"blocks", "sliding", "truncated", "tail"};

}  // namespace holo::eval
