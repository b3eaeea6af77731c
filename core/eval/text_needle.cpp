#include "core/eval/text_needle.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace holo::eval {

namespace {

constexpr int kMostDraws = 400;
constexpr int kDrawsOfAFiller = 8;  // with other nouns and keys, before another stretch of text is taken
constexpr double kLastPlace = 1 - 0x1p-40;  // a needle at 1 would stand behind the filler

std::string listed(const std::vector<std::string>& nouns)
{
    if (nouns.size() == 1)
        return nouns.front();
    return join({nouns.begin(), nouns.end() - 1}, ", ") + " and " + nouns.back();
}

template <class T>
std::vector<T> shuffled(std::vector<T> values, RandomStream& random)
{
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[std::size_t(random.below(i))]);
    return values;
}

std::int64_t occurrences(const std::string& text, const std::string& part)
{
    std::int64_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

// First token that holds byte `offset` of the decoded text, for each offset. Tokens are decoded one by one where that gives the text,
// else (pieces that lose a blank when alone) by growing beginnings.
std::vector<std::int64_t> tokensAt(const data::Corpus& corpus, const std::vector<std::int32_t>& ids, std::size_t bytes, const std::vector<std::size_t>& offsets)
{
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (const std::int32_t id : ids)
        ends.push_back(end += corpus.decode({&id, 1}).size());
    const bool additive = end == bytes;
    std::vector<std::int64_t> result;
    for (const std::size_t offset : offsets) {
        if (additive) {
            result.push_back(std::upper_bound(ends.begin(), ends.end(), offset) - ends.begin());
            continue;
        }
        std::size_t low = 0;
        std::size_t high = ids.size();
        while (low < high) {  // smallest k whose k + 1 tokens reach beyond the offset
            const std::size_t middle = (low + high) / 2;
            if (corpus.decode({ids.data(), middle + 1}).size() > offset)
                high = middle;
            else
                low = middle + 1;
        }
        result.push_back(std::int64_t(low));
    }
    return result;
}

}  // namespace

TextNeedle::TextNeedle(const data::Corpus& corpus, NeedleTemplate wording, std::uint64_t seed)
    : m_corpus(corpus)
    , m_wording(std::move(wording))
    , m_keys(m_wording.keyKind, m_wording.keyLength)
    , m_seed(seed)
    , m_corpusKey(corpusKey(corpus))
{
    // The commonest number of tokens among a sample of keys is that of all answers.
    const std::string stub = filled(m_wording.question, needleNouns().front(), "");
    const std::int64_t stubTokens = count(stub);
    std::map<std::int64_t, int> votes;
    for (std::int64_t trial = 0; trial < 64; ++trial)
        ++votes[count(stub + answer(m_keys.key(m_seed, trial, 0))) - stubTokens];
    m_keyTokens = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    if (m_keyTokens < 1)
        throw Error::at(ErrorKind::Unsupported, {.field = "key", .found = "an answer without tokens of its own", .allowed = "a template whose answer adds tokens"});

    std::int64_t needle = 0;
    std::int64_t around = 0;
    const std::string key = keyOf(m_seed, 0, 0);
    std::vector<std::string> all = nouns();
    std::stable_sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    all.resize(std::min<std::size_t>(all.size(), 80));
    for (const std::string& noun : all)
        needle = std::max(needle, unit(filled(m_wording.needle, noun, key)).tokens);
    for (std::size_t i = 0; i + std::size_t(m_wording.queries) <= all.size(); ++i)
        around = std::max(around, unit(filled(m_wording.question, listed({all.begin() + std::ptrdiff_t(i), all.begin() + std::ptrdiff_t(i) + m_wording.queries}), "")).tokens);
    const std::vector<std::string> keys(std::size_t(m_wording.asked()), key);
    m_answerTokens = m_wording.asked() == 1 ? m_keyTokens : count(stub + answer(keys)) - stubTokens;
    m_smallest = needle * (m_wording.asked() + m_wording.distractors) + around + m_answerTokens;
}

double TextNeedle::chance() const
{
    return std::pow(m_keys.count(), -m_wording.asked());
}

std::string TextNeedle::answer(const std::vector<std::string>& keys) const
{
    return answer(join(keys, ", "));
}

// Among needles alone there are not enough single nouns, so each is a pair of words there.
std::vector<std::string> TextNeedle::nouns() const
{
    if (m_wording.haystack != "needles")
        return needleNouns();
    std::vector<std::string> pairs;
    for (const std::string& noun : needleNouns())
        for (const std::string& word : needleKeyWords())
            pairs.push_back(word + " " + noun);
    return pairs;
}

std::string TextNeedle::keyOf(std::uint64_t cell, std::int64_t trial, int draw) const
{
    const std::string stub = filled(m_wording.question, needleNouns().front(), "");
    const std::int64_t stubTokens = count(stub);
    std::string key;
    for (int again = 0; again < 64; ++again) {
        key = m_keys.key(cell, trial, draw * 64 + again);
        if (count(stub + answer(key)) - stubTokens == m_keyTokens)
            break;
    }
    return key;
}

const std::vector<TextUnit>& TextNeedle::filler(std::int64_t length, std::int64_t trial, int draw) const
{
    if (m_filler.length == length && m_filler.trial == trial && m_filler.draw == draw)
        return m_filler.units;
    RandomStream random(m_seed, "needle-filler", {m_corpusKey, std::uint64_t(length), std::uint64_t(trial), std::uint64_t(draw)});
    const auto units = [&] {
        if (!m_wording.file.empty())
            return fileFiller(m_corpus, m_wording.file, length, random);
        if (m_wording.haystack == "needles")
            return needleFiller(length, random);
        return m_wording.haystack == "noise" ? noiseFiller(m_corpus, length) : validationFiller(m_corpus, length, random);
    };
    m_filler = {length, trial, draw, units()};
    return m_filler.units;
}

std::vector<TextUnit> TextNeedle::needleFiller(std::int64_t tokens, RandomStream& random) const
{
    const std::vector<std::string> all = shuffled(nouns(), random);
    const std::uint64_t cell = random.next64();
    std::vector<TextUnit> units;
    for (std::size_t i = 0; tokens > 0 && i < all.size(); ++i) {
        units.push_back(unit(filled(m_wording.needle, all[i], keyOf(cell, std::int64_t(i), 0))));
        tokens -= units.back().tokens;
    }
    return units;
}

NeedlePrompt TextNeedle::prompt(const TrialPlace& place, Haystack haystack) const
{
    if (place.length < m_smallest)
        throw Error::at(ErrorKind::Usage, {.field = "length", .found = std::to_string(place.length), .allowed = std::to_string(m_smallest) + " or more"});
    for (int draw = 0; draw < kMostDraws; ++draw)
        if (auto prompt = attempt(place, haystack, draw)) {
            prompt->redraws = draw;
            return *std::move(prompt);
        }
    throw Error(ErrorKind::Malformed, "No needle prompt of " + std::to_string(place.length) + " tokens holds its key once after " + std::to_string(kMostDraws) + " draws.",
                {.field = "template", .found = dumpLine(toJson(m_wording)), .allowed = "wording whose key and noun do not occur in the corpus everywhere"});
}

TextNeedle::Draft TextNeedle::draft(const TrialPlace& place, Haystack haystack, int draw) const
{
    const std::uint64_t length = std::uint64_t(place.length);
    const std::uint64_t trial = std::uint64_t(place.trial);
    const int fillerDraw = draw / kDrawsOfAFiller;
    Draft draft;
    draft.filler = filler(place.length, place.trial, fillerDraw);

    // Of the haystack, shared by all depths.
    RandomStream shared(m_seed, "needle-haystack", {m_corpusKey, length, trial, std::uint64_t(fillerDraw)});
    const std::vector<std::string> nouns = shuffled(this->nouns(), shared);
    const std::uint64_t sharedCell = shared.next64();
    for (int i = 0; i < m_wording.distractors; ++i)
        draft.others.push_back({shared.uniform(), unit(filled(m_wording.needle, nouns[std::size_t(i)], keyOf(sharedCell, i, 0)))});
    const auto byPlace = [](const PlacedUnit& a, const PlacedUnit& b) { return a.place < b.place; };
    std::stable_sort(draft.others.begin(), draft.others.end(), byPlace);
    if (haystack == Haystack::ShuffledFiller) {
        RandomStream control(m_seed, "needle-shuffle", {m_corpusKey, length, trial});
        draft.filler = shuffled(std::move(draft.filler), control);
        for (TextUnit& word : draft.filler)
            word.joined = false;
    }

    // Of this trial at this depth.
    RandomStream own(m_seed, "needle", {m_corpusKey, length, depthKey(place.depth), trial, std::uint64_t(draw)});
    const std::size_t first = std::size_t(m_wording.distractors);
    const std::size_t choice = std::size_t(own.below(nouns.size() - first));
    const std::string& noun = nouns[first + choice];
    const std::uint64_t cell = RandomStream(m_seed, "needle-key", {m_corpusKey, length, depthKey(place.depth)}).next64();
    draft.asked = {noun};
    draft.keys = {keyOf(cell, place.trial, draw)};
    draft.stated = haystack == Haystack::OtherKey ? keyOf(own.next64(), place.trial, draw) : draft.keys.front();
    const bool hasNeedle = haystack != Haystack::NoNeedle;
    if (hasNeedle) {
        draft.needle = unit(filled(m_wording.needle, noun, draft.stated));
        draft.askedNeedles = {draft.needle->text};
    }

    // Further asked needles stand among the distractors.
    for (int i = 1; i < m_wording.asked(); ++i) {
        const std::string& other = m_wording.values > 1 ? noun : nouns[first + (choice + std::size_t(i)) % (nouns.size() - first)];
        if (m_wording.values == 1)
            draft.asked.push_back(other);
        draft.keys.push_back(keyOf(own.next64(), place.trial, draw));
        const std::string said = haystack == Haystack::OtherKey ? keyOf(own.next64(), place.trial, draw) : draft.keys.back();
        const double share = double(i) / double(m_wording.asked());
        const double at = m_wording.spread == "even" ? std::min(place.depth + (1 - place.depth) * share, kLastPlace) : own.uniform();
        if (!hasNeedle)
            continue;
        draft.others.push_back({at, unit(filled(m_wording.needle, other, said))});
        draft.askedNeedles.push_back(draft.others.back().unit.text);
    }
    std::stable_sort(draft.others.begin(), draft.others.end(), byPlace);
    draft.question = unit(filled(m_wording.question, listed(draft.asked), ""));
    return draft;
}

std::optional<TextNeedle::Fit> TextNeedle::fitted(const Draft& draft, const TrialPlace& place) const
{
    std::int64_t room = place.length - (draft.needle ? draft.needle->tokens : 0) - draft.question.tokens - m_answerTokens;
    for (const PlacedUnit& other : draft.others)
        room -= other.unit.tokens;
    std::size_t words = 0;
    for (std::int64_t used = 0; words < draft.filler.size() && (used += draft.filler[words].tokens) <= room;)
        ++words;

    const auto laidOut = [&](std::size_t n) {
        Fit fit{layOut({draft.filler.data(), n}, draft.others, draft.needle ? &*draft.needle : nullptr, place.depth, draft.question), {}, {}};
        std::vector<std::string> order = draft.keys;
        if (m_wording.values > 1)
            std::stable_sort(order.begin(), order.end(), [&text = fit.layout.text](const std::string& a, const std::string& b) { return text.find(a) < text.find(b); });
        fit.answer = answer(order);
        fit.ids = m_corpus.encode(fit.layout.text + fit.answer);
        return fit;
    };
    // Joined units are encoded together, so the estimate may be off by a few: walk to the largest number of words that fits.
    bool shrunk = false;
    for (Fit fit = laidOut(words);; fit = laidOut(words)) {
        const std::int64_t slack = place.length - std::int64_t(fit.ids.size());
        if (slack < 0) {
            if (words == 0)
                return std::nullopt;
            --words;
            shrunk = true;
        } else if (!shrunk && words < draft.filler.size() && draft.filler[words].tokens <= slack) {
            ++words;
        } else {
            return fit;
        }
    }
}

// Whether the answer cannot be had but from its needles.
bool TextNeedle::isUnambiguous(const Draft& draft, const std::string& text, bool statesKeys) const
{
    for (const std::string& key : draft.keys)
        if (occurrences(text, key) != (statesKeys ? 1 : 0) || std::count(draft.keys.begin(), draft.keys.end(), key) != 1)
            return false;
    for (const std::string& noun : draft.asked) {
        std::int64_t times = occurrences(draft.question.text, noun);
        for (const std::string& sentence : draft.askedNeedles)
            times += occurrences(sentence, noun);
        if (occurrences(text, noun) != times)
            return false;
    }
    return true;
}

std::optional<NeedlePrompt> TextNeedle::attempt(const TrialPlace& place, Haystack haystack, int draw) const
{
    const Draft draft = this->draft(place, haystack, draw);
    std::optional<Fit> fit = fitted(draft, place);
    if (!fit)
        return std::nullopt;
    auto& [layout, answerText, ids] = *fit;

    // Valid only if the tokenizer agrees at every seam.
    const std::vector<std::int32_t> promptIds = m_corpus.encode(layout.text);
    if (std::int64_t(ids.size() - promptIds.size()) != m_answerTokens || ids.size() <= promptIds.size() || !std::equal(promptIds.begin(), promptIds.end(), ids.begin()))
        return std::nullopt;
    if (m_corpus.decode(ids) != layout.text + answerText)
        return std::nullopt;
    if (!isUnambiguous(draft, layout.text, haystack == Haystack::Needle || haystack == Haystack::ShuffledFiller))
        return std::nullopt;

    NeedlePrompt prompt;
    prompt.answerBegin = std::int64_t(promptIds.size());
    prompt.key = std::string(trimmed(answerText));
    const std::size_t keyAt = draft.needle ? layout.text.find(draft.stated, layout.needle) : 0;
    const auto at = tokensAt(m_corpus, ids, layout.text.size() + answerText.size(), {layout.needle, layout.afterNeedle, layout.question, keyAt});
    prompt.tokens = std::move(ids);
    prompt.questionIndex = at[2];
    if (draft.needle) {
        prompt.needleIndex = at[0];
        prompt.needleTokens = at[1] - at[0];
        prompt.keyIndex = at[3];
        prompt.depthReal = realDepth(prompt.needleIndex, prompt.questionIndex, prompt.needleTokens);
        const double wish = place.depth * double(prompt.questionIndex - prompt.needleTokens);
        prompt.moved = std::abs(double(prompt.needleIndex) - wish) > std::max(8.0, double(place.length) / 50);
    }
    return prompt;
}

Json TextNeedle::describe() const
{
    Json json{{"kind", "text"}};
    json.update(toJson(m_wording));
    json["answer_tokens"] = m_answerTokens;
    json["bos"] = Json{{"added", false}, {"by", "nobody: training windows begin anywhere in the text"}};
    return json;
}

}  // namespace holo::eval
