#pragma once

#include <string>

#include "core/data/corpus.h"
#include "core/data/facts_generator.h"

namespace holo::data {

// The synthetic corpus "facts" as a Corpus: one document a window. A window of any length is document `index` generated to length + 1
// tokens, so every input has a target and windows of different lengths share their beginnings. Nothing is stored.
class SyntheticCorpus : public Corpus {
public:
    SyntheticCorpus(const config::SyntheticSpec& spec, std::int64_t context);

    const FactsGenerator& generator() const { return m_generator; }

    int vocabulary() const override { return m_generator.vocabulary().size(); }
    std::string hash() const override { return m_hash; }
    Json describe() const override;
    std::int64_t windows(Split split, std::int64_t length) const override;
    Window window(Split split, std::int64_t length, std::int64_t index) const override;
    std::string decode(std::span<const std::int32_t> tokens) const override;
    // Words of the vocabulary apart by white space. Throws Error (usage) for any other word.
    std::vector<std::int32_t> encode(const std::string& text) const override;
    int endOfDocument() const override { return -1; }
    bool isSynthetic() const override { return true; }

private:
    FactsGenerator m_generator;
    std::int64_t m_context;
    std::string m_hash;
};

}  // namespace holo::data
