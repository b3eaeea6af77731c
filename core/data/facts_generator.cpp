#include "core/data/facts_generator.h"

#include <algorithm>
#include <cmath>

namespace holo::data {

FactsGenerator::FactsGenerator(const config::SyntheticSpec& spec)
    : m_spec(spec)
    , m_vocabulary(spec)
{
    for (int wordClass = 0; wordClass < FactsVocabulary::kClasses; ++wordClass) {
        Weights& cumulative = m_cumulative[std::size_t(wordClass)];
        double sum = 0;
        for (int rank = 0; rank < classSize(wordClass); ++rank)
            cumulative.push_back(sum += 1.0 / (1 + rank));
        for (double& value : cumulative)
            value /= sum;
    }
}

std::array<std::int32_t, 4> FactsGenerator::fact(int name, int value) const
{
    return {FactsVocabulary::kRecord, m_vocabulary.token(FactsKind::Name, name), m_vocabulary.token(FactsKind::Value, value),
            m_vocabulary.token(FactsKind::Unit, name)};
}

double FactsGenerator::wordProbability(int wordClass, int topic, int index) const
{
    const Weights& cumulative = m_cumulative[std::size_t(wordClass)];
    const int n = classSize(wordClass);
    const auto rank = std::size_t((index + std::int64_t(topic) * (n / m_spec.topics)) % n);
    return rank == 0 ? cumulative[0] : cumulative[rank] - cumulative[rank - 1];
}

std::int32_t FactsGenerator::fillerWord(FillerState& state, RandomStream& random) const
{
    if (random.uniform() < m_spec.topicRate)
        state.topic = int(random.below(std::uint64_t(m_spec.topics)));
    const auto& row = kClassRows[std::size_t(state.wordClass)];
    const double u = random.uniform();
    double sum = 0;
    int next = -1;
    for (int c = 0; c < 4; ++c) {
        if (row[std::size_t(c)] == 0)
            continue;
        next = c;
        if (u < (sum += row[std::size_t(c)]))
            break;
    }
    state.wordClass = next;
    const Weights& cumulative = m_cumulative[std::size_t(next)];
    const std::int64_t n = classSize(next);
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), random.uniform());
    const std::int64_t rank = std::min<std::int64_t>(found - cumulative.begin(), n - 1);
    const std::int64_t shift = (std::int64_t(state.topic) * (n / m_spec.topics)) % n;
    return m_vocabulary.token(FactsVocabulary::wordKind(next), int((rank - shift + n) % n));
}

std::vector<std::int32_t> FactsGenerator::filler(RandomStream& random, std::int64_t length) const
{
    FillerState state{int(random.below(std::uint64_t(m_spec.topics))), kFirstClass};
    std::vector<std::int32_t> words;
    words.reserve(std::size_t(length));
    while (std::int64_t(words.size()) < length)
        words.push_back(fillerWord(state, random));
    return words;
}

std::vector<std::int32_t> FactsGenerator::document(Split split, std::int64_t index, std::int64_t length) const
{
    RandomStream random(std::uint64_t(m_spec.seed), "facts", {std::uint64_t(split == Split::Validation), std::uint64_t(index)});
    struct Known {
        int name;
        int value;
    };
    std::vector<Known> known;
    std::vector<int> unused(std::size_t(m_spec.names));
    for (int name = 0; name < m_spec.names; ++name)
        unused[std::size_t(name)] = name;
    FillerState state{int(random.below(std::uint64_t(m_spec.topics))), kFirstClass};

    std::vector<std::int32_t> tokens{FactsVocabulary::kBegin};
    tokens.reserve(std::size_t(length) + kSpan);
    while (std::int64_t(tokens.size()) < length) {
        if (unused.empty() || random.uniform() >= m_spec.factRate) {
            tokens.push_back(fillerWord(state, random));
            continue;
        }
        Known chosen;
        if (!known.empty() && random.uniform() < m_spec.recallRate) {
            chosen = known[std::size_t(random.below(known.size()))];
        } else {
            const auto place = std::size_t(random.below(unused.size()));
            chosen = {unused[place], int(random.below(std::uint64_t(m_spec.values)))};
            unused[place] = unused.back();
            unused.pop_back();
            known.push_back(chosen);
        }
        const auto span = fact(chosen.name, chosen.value);
        tokens.insert(tokens.end(), span.begin(), span.end());
    }
    tokens.resize(std::size_t(length));
    return tokens;
}

std::vector<double> FactsGenerator::logProbabilities(std::span<const std::int32_t> document) const
{
    std::vector<double> belief(std::size_t(m_spec.topics), 1.0 / m_spec.topics);
    std::vector<int> valueOf(std::size_t(m_spec.names), -1);
    int known = 0;
    int wordClass = kFirstClass;
    std::vector<double> result(document.size(), 0.0);
    for (std::size_t t = 1; t < document.size(); ++t) {
        const double start = known < m_spec.names ? m_spec.factRate : 0;
        const FactsKind kind = m_vocabulary.kind(document[t]);
        const int index = m_vocabulary.index(document[t]);
        if (kind == FactsKind::Record) {
            result[t] = std::log(start);
            continue;
        }
        if (kind == FactsKind::Name) {
            const double recalled = known > 0 ? m_spec.recallRate / known : 0;
            const double fresh = (known > 0 ? 1 - m_spec.recallRate : 1) / std::max(1, m_spec.names - known);
            result[t] = std::log(valueOf[std::size_t(index)] >= 0 ? recalled : fresh);
            continue;
        }
        if (kind == FactsKind::Value) {
            int& value = valueOf[std::size_t(m_vocabulary.index(document[t - 1]))];
            if (value < 0) {
                result[t] = -std::log(double(m_spec.values));
                value = index;
                ++known;
            }
            continue;
        }
        if (kind == FactsKind::Unit)
            continue;
        const int next = int(kind) - int(FactsKind::Determiner);
        double probability = 0;
        for (int z = 0; z < m_spec.topics; ++z) {
            double& b = belief[std::size_t(z)];
            b = (1 - m_spec.topicRate) * b + m_spec.topicRate / m_spec.topics;
            b *= wordProbability(next, z, index);
            probability += b;
        }
        for (double& b : belief)
            b /= probability;
        result[t] = std::log((1 - start) * kClassRows[std::size_t(wordClass)][std::size_t(next)] * probability);
        wordClass = next;
    }
    return result;
}

}  // namespace holo::data
