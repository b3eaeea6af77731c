#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/config/specs.h"

namespace holo::data {

enum class FactsKind { Begin, Record, Name, Value, Unit, Determiner, Adjective, Noun, Verb };

// Ids of the synthetic corpus "facts": BOS 0, REC 1, then names, values, units (one a name), determiners, adjectives, nouns, verbs.
// Words are written "BOS", "REC", "name3", "value7", "unit3", "det0", "adj4", "noun12", "verb9", numbered from 0 within their kind.
class FactsVocabulary {
public:
    static constexpr int kBegin = 0;
    static constexpr int kRecord = 1;
    static constexpr int kClasses = 4;  // of filler words

    explicit FactsVocabulary(const config::SyntheticSpec& spec);

    int size() const { return m_first.back(); }
    int names() const { return count(FactsKind::Name); }
    int values() const { return count(FactsKind::Value); }
    int count(FactsKind kind) const { return m_first[std::size_t(kind) + 1] - m_first[std::size_t(kind)]; }
    int token(FactsKind kind, int index) const { return m_first[std::size_t(kind)] + index; }
    static FactsKind wordKind(int wordClass) { return FactsKind(int(FactsKind::Determiner) + wordClass); }

    // Of an id in 0 … size−1.
    FactsKind kind(std::int32_t token) const;
    int index(std::int32_t token) const { return token - m_first[std::size_t(kind(token))]; }

    std::string text(std::int32_t token) const;                       // throws Error (usage) for an id outside the vocabulary
    std::optional<std::int32_t> parse(std::string_view word) const;   // nothing if it is no word of the corpus

private:
    std::array<int, 10> m_first{};  // first id of each kind, and the size
};

}  // namespace holo::data
