#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/eval/evaluator.h"
#include "core/ladder/plan.h"

namespace holo::eval {

// Ladder-swap ablation: the same weights under another positional scheme, or a part of it, on the same prompts.
struct SwapOptions {
    Options eval;                                // protocol settings; schemeRun is the scheme swapped to
    std::string heads = "special";               // see swap_plan.h
    std::vector<int> layers;
    std::optional<std::pair<int, int>> planes;
    std::string sweep;                           // "", planes, heads, layers or lambda: what is swapped one at a time (λ: 0, .1, … 1)
};

// A model whose scheme can be exchanged in place.
struct SwapModel {
    LanguageModel& model;
    ladder::Plan trained;
    std::function<void(const ladder::Plan&)> setPlan;
};

// {format, protocol, checkpoint, scheme_trained, scheme_to, heads, planes, before, after, difference:[{length, depth, delta, exact_before, exact_after,
// lost, won, p_mcnemar}], by_distance:[{delta, lo, hi, trials, exact_before, exact_after, p_mcnemar}], mean:{before, after, difference, p_mcnemar},
// perplexity:{before, after, length, tokens}, sweep:[…]}. `delta` of a cell is after − before; p is exact and two-sided over the trials of the
// cell. The model has its trained plan again when this returns or throws; weights are never touched.
// Writes summary.json, before/ and after/ under eval.out.
Json swap(SwapModel& model, const ladder::Plan& target, const data::Corpus& corpus, const SwapOptions& options);

}  // namespace holo::eval
