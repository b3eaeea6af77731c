#pragma once

#include "core/data/synthetic.h"
#include "core/eval/needle_task.h"

namespace holo::eval {

// Needle prompts of the synthetic corpus, L tokens with the answer: BOS, L − 4D − 8 filler words, D distractor facts at uniform insertion
// points, the needle (REC, name, value, unit) at the first place between words or facts that lies at least round(depth·(L − 8)) tokens after
// BOS, at the end REC, name and the answer, one value token. Names and values of the facts differ from each other, so the answer stands once.
class FactsNeedle : public NeedleTask {
public:
    // Throws Error (usage) where there are fewer names than facts of a prompt.
    FactsNeedle(const data::SyntheticCorpus& corpus, std::uint64_t seed);

    std::int64_t smallestLength() const override;
    NeedlePrompt prompt(const TrialPlace& place, Haystack haystack) const override;
    double chance() const override;
    std::vector<std::int32_t> candidates() const override;
    Json describe() const override;

private:
    int distractors() const { return m_corpus.generator().spec().distractors; }

    const data::SyntheticCorpus& m_corpus;
    std::uint64_t m_seed;
    std::uint64_t m_corpusKey;
};

}  // namespace holo::eval
