#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/data/corpus.h"
#include "core/data/facts_vocabulary.h"

namespace holo::data {

// The stochastic process behind the synthetic corpus "facts".
//
// A document begins with BOS. In filler mode a fact span starts with probability h (fact_rate), unless every name is used; topic and word
// class stand still during it. A span is REC, name, value, unit (of the name). If any fact exists, with probability ρ (recall_rate) it
// recalls one of the earlier facts, uniformly; else it states a new one: an unused name and a value, both uniform. A span may be cut by
// the end of the document. A filler step draws, with probability topic_rate, a new topic z uniformly (the first topic too); then the next
// class by kClassRows (as if after a verb at the start); then word k of the n in the class with probability ∝ 1/(1 + r),
// r = (k + z·⌊n/topics⌋) mod n.
class FactsGenerator {
public:
    using Weights = std::vector<double>;

    // Next class given the present one: determiner, adjective, noun, verb.
    static constexpr std::array<std::array<double, 4>, 4> kClassRows{{{0, .4, .6, 0}, {0, .2, .8, 0}, {.15, 0, .15, .7}, {.6, .1, .2, .1}}};
    static constexpr int kFirstClass = 3;
    static constexpr int kSpan = 4;  // tokens of a fact

    explicit FactsGenerator(const config::SyntheticSpec& spec);

    const config::SyntheticSpec& spec() const { return m_spec; }
    const FactsVocabulary& vocabulary() const { return m_vocabulary; }

    // The first `length` tokens of a document: a pure function of (spec, split, index), a prefix of every longer one.
    std::vector<std::int32_t> document(Split split, std::int64_t index, std::int64_t length) const;

    // `length` filler words in a row, as between facts.
    std::vector<std::int32_t> filler(RandomStream& random, std::int64_t length) const;

    // REC, name, value, unit.
    std::array<std::int32_t, 4> fact(int name, int value) const;

    // Probability of word `index` of a class under a topic.
    double wordProbability(int wordClass, int topic, int index) const;

    // log p(token t | tokens before it) of a document from its BOS on, exactly: the topic, which no token shows, is filtered out
    // (forward algorithm). The sum over a document is the log-probability that no model can beat on average. The first entry (BOS) is 0.
    std::vector<double> logProbabilities(std::span<const std::int32_t> document) const;

private:
    struct FillerState {
        int topic;
        int wordClass;
    };
    std::int32_t fillerWord(FillerState& state, RandomStream& random) const;
    int classSize(int wordClass) const { return m_vocabulary.count(FactsVocabulary::wordKind(wordClass)); }

    config::SyntheticSpec m_spec;
    FactsVocabulary m_vocabulary;
    std::array<Weights, 4> m_cumulative;  // [class][rank]: P(rank <= r)
};

}  // namespace holo::data
