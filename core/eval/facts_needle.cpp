#include "core/eval/facts_needle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/random.h"

namespace holo::eval {

namespace {

using data::FactsKind;
using Tokens = std::vector<std::int32_t>;

constexpr std::int64_t kSpan = data::FactsGenerator::kSpan;
constexpr std::int64_t kAround = 8;  // BOS, needle, REC, name, answer

template <class T>
void shuffle(std::vector<T>& values, RandomStream& random)
{
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[std::size_t(random.below(i))]);
}

std::vector<int> permutation(int n, RandomStream& random)
{
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, random);
    return order;
}

}  // namespace

FactsNeedle::FactsNeedle(const data::SyntheticCorpus& corpus, std::uint64_t seed)
    : m_corpus(corpus)
    , m_seed(seed)
    , m_corpusKey(corpusKey(corpus))
{
    const int names = corpus.generator().spec().names;
    if (distractors() >= names)
        throw Error::at(ErrorKind::Usage, {.field = "data.synthetic.distractors", .found = std::to_string(distractors()),
                                           .allowed = "0 to " + std::to_string(names - 1) + " with " + std::to_string(names) + " names"});
}

std::int64_t FactsNeedle::smallestLength() const
{
    return kSpan * distractors() + kAround;
}

double FactsNeedle::chance() const
{
    return 1.0 / m_corpus.generator().spec().values;
}

std::vector<std::int32_t> FactsNeedle::candidates() const
{
    const data::FactsVocabulary& vocabulary = m_corpus.generator().vocabulary();
    Tokens values;
    for (int value = 0; value < vocabulary.values(); ++value)
        values.push_back(vocabulary.token(FactsKind::Value, value));
    return values;
}

NeedlePrompt FactsNeedle::prompt(const TrialPlace& place, Haystack haystack) const
{
    if (place.length < smallestLength())
        throw Error::at(ErrorKind::Usage, {.field = "length", .found = std::to_string(place.length), .allowed = std::to_string(smallestLength()) + " or more"});
    const data::FactsGenerator& generator = m_corpus.generator();
    const data::FactsVocabulary& vocabulary = generator.vocabulary();
    const std::uint64_t length = std::uint64_t(place.length);
    const std::uint64_t trial = std::uint64_t(place.trial);
    const std::int64_t fillers = place.length - smallestLength();

    // Of the haystack, shared by all depths.
    RandomStream shared(m_seed, "needle-haystack", {m_corpusKey, length, trial});
    const std::vector<int> names = permutation(vocabulary.names(), shared);
    const std::vector<int> values = permutation(vocabulary.values(), shared);
    const int used = std::min(distractors(), vocabulary.values() - 1);  // values that distractors state
    std::vector<std::int64_t> insertions;
    for (int i = 0; i < distractors(); ++i)
        insertions.push_back(std::int64_t(shared.below(std::uint64_t(fillers) + 1)));
    std::sort(insertions.begin(), insertions.end());
    Tokens words = generator.filler(shared, fillers);
    if (haystack == Haystack::ShuffledFiller) {
        RandomStream control(m_seed, "needle-shuffle", {m_corpusKey, length, trial});
        shuffle(words, control);
    }

    // Of this trial at this depth.
    RandomStream own(m_seed, "needle", {m_corpusKey, length, depthKey(place.depth), trial});
    const auto draw = [&own](const std::vector<int>& from, int first) { return from[std::size_t(first) + std::size_t(own.below(from.size() - std::size_t(first)))]; };
    const int name = draw(names, distractors());
    const int value = draw(values, used);
    Tokens needle;
    switch (haystack) {
    case Haystack::NoNeedle: {
        RandomStream control(m_seed, "needle-removed", {m_corpusKey, length, depthKey(place.depth), trial});
        needle = generator.filler(control, kSpan);
        break;
    }
    case Haystack::OtherKey: {
        const int other = (value + 1 + int(own.below(std::uint64_t(vocabulary.values()) - 1))) % vocabulary.values();
        const auto fact = generator.fact(name, other);
        needle.assign(fact.begin(), fact.end());
        break;
    }
    case Haystack::ShuffledFiller:
    case Haystack::Needle: {
        const auto fact = generator.fact(name, value);
        needle.assign(fact.begin(), fact.end());
        break;
    }
    }

    const std::int64_t target = std::llround(place.depth * double(place.length - kAround));
    NeedlePrompt prompt;
    prompt.tokens = {data::FactsVocabulary::kBegin};
    prompt.tokens.reserve(std::size_t(place.length));
    const auto append = [&prompt](const auto& unit) { prompt.tokens.insert(prompt.tokens.end(), unit.begin(), unit.end()); };
    const auto placeNeedle = [&] {
        const std::int64_t at = std::int64_t(prompt.tokens.size()) - 1;
        if (prompt.needleIndex >= 0 || at < target)
            return;
        prompt.needleIndex = at + 1;
        prompt.moved = at - target > std::max<std::int64_t>(kSpan, place.length / 50);
        append(needle);
    };
    std::size_t next = 0;
    for (std::int64_t w = 0; w <= fillers; ++w) {
        for (; next < insertions.size() && insertions[next] == w; ++next) {
            placeNeedle();
            append(generator.fact(names[next], values[next % std::size_t(std::max(used, 1))]));
        }
        placeNeedle();
        if (w < fillers)
            prompt.tokens.push_back(words[std::size_t(w)]);
    }
    prompt.needleTokens = kSpan;
    prompt.keyIndex = prompt.needleIndex + 2;
    prompt.questionIndex = std::int64_t(prompt.tokens.size());
    prompt.tokens.push_back(data::FactsVocabulary::kRecord);
    prompt.tokens.push_back(vocabulary.token(FactsKind::Name, name));
    prompt.answerBegin = std::int64_t(prompt.tokens.size());
    prompt.tokens.push_back(vocabulary.token(FactsKind::Value, value));
    prompt.key = vocabulary.text(prompt.tokens.back());
    prompt.depthReal = realDepth(prompt.needleIndex, prompt.questionIndex, prompt.needleTokens);
    return prompt;
}

Json FactsNeedle::describe() const
{
    return Json{{"kind", "facts"}, {"needle", "REC name value unit"}, {"question", "REC name"}, {"answer_tokens", 1}, {"distractors", distractors()},
                {"bos", Json{{"added", true}, {"by", "the prompt, as every document of the synthetic corpus begins with it"}}}};
}

}  // namespace holo::eval
