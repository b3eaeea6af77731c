#pragma once

#include "core/data/corpus.h"
#include "core/eval/evaluator.h"
#include "core/ladder/plan.h"
#include "core/model/head_analysis.h"

// Analyses of trained heads. `plan` is the plan that `model` runs with. Heads whose attention is no softmax of q and k are Error (unsupported),
// lengths and counts that the corpus cannot give Error (usage).
namespace holo::eval {

struct HeadAnalysisOptions {
    std::int64_t length = 0;      // tokens of a window; 0: the training context
    std::int64_t windows = 8;     // at most; fewer where the validation part has no more
    std::function<bool(double done)> progress;  // false: stop (Error interrupted)
};

// On `tokens` random ids from the stream (seed, "lane-means"), in windows of at most the training context.
model::LaneMeanMap laneMeans(LanguageModel& model, std::int64_t tokens, std::uint64_t seed);

model::ScoreSpectra scoreSpectra(LanguageModel& model, const ladder::Plan& plan, const data::Corpus& corpus, const HeadAnalysisOptions& options);

// N = each ladder's context. A window longer than N would count distances twice and is refused.
model::HolonomyMap headHolonomy(LanguageModel& model, const ladder::Plan& plan, const data::Corpus& corpus, const HeadAnalysisOptions& options);

}  // namespace holo::eval
