#include "core/data/facts_vocabulary.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::data {

namespace {

constexpr std::array<std::string_view, 9> kStems{"BOS", "REC", "name", "value", "unit", "det", "adj", "noun", "verb"};

}  // namespace

FactsVocabulary::FactsVocabulary(const config::SyntheticSpec& spec)
{
    const std::array<int, 9> counts{1, 1, spec.names, spec.values, spec.names, spec.determiners, spec.adjectives, spec.nouns, spec.verbs};
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
        m_first[kind + 1] = m_first[kind] + counts[kind];
}

FactsKind FactsVocabulary::kind(std::int32_t token) const
{
    std::size_t kind = 0;
    while (token >= m_first[kind + 1])
        ++kind;
    return FactsKind(kind);
}

std::string FactsVocabulary::text(std::int32_t token) const
{
    if (token < 0 || token >= size())
        throw Error::at(ErrorKind::Usage, {.field = "token", .found = std::to_string(token), .allowed = "0 to " + std::to_string(size() - 1)});
    const FactsKind k = kind(token);
    const std::string stem(kStems[std::size_t(k)]);
    return k == FactsKind::Begin || k == FactsKind::Record ? stem : stem + std::to_string(index(token));
}

std::optional<std::int32_t> FactsVocabulary::parse(std::string_view word) const
{
    for (std::size_t kind = 0; kind < kStems.size(); ++kind) {
        if (!word.starts_with(kStems[kind]))
            continue;
        const std::string_view digits = word.substr(kStems[kind].size());
        if (FactsKind(kind) == FactsKind::Begin || FactsKind(kind) == FactsKind::Record) {
            if (digits.empty())
                return m_first[kind];
            continue;
        }
        const auto number = parseInt(digits);
        if (number && *number >= 0 && *number < count(FactsKind(kind)) && std::to_string(*number) == digits)
            return token(FactsKind(kind), int(*number));
    }
    return std::nullopt;
}

}  // namespace holo::data
