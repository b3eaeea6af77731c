#include "core/eval/text_needle.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace holo::eval {

namespace {

constexpr int kMostDraws = 400;
constexpr int kDrawsOfAFiller = 8;  // with other nouns and keys, before another stretch of text is taken
constexpr std::size_t kLongestWord = 24;  // bytes; longer ones are cut, so that text without blanks has units too
constexpr std::size_t kPiece = 12;

constexpr std::string_view kNoise = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";  // as RULER's
constexpr std::size_t kLargestHaystack = 256u << 20;  // bytes

std::string listed(const std::vector<std::string>& nouns)
{
    if (nouns.size() == 1)
        return nouns.front();
    return join({nouns.begin(), nouns.end() - 1}, ", ") + " and " + nouns.back();
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

std::vector<std::string> wordsOf(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    for (const char c : text + " ") {
        if (static_cast<unsigned char>(c) > 0x20 && c != 0x7f) {
            word += c;
            continue;
        }
        if (!word.empty() && isUtf8(word) && word.find("\xEF\xBF\xBD") == std::string::npos)
            words.push_back(word);
        word.clear();
    }
    return words;
}

std::vector<std::string> piecesOf(const std::string& word)
{
    if (word.size() <= kLongestWord)
        return {word};
    std::vector<std::string> pieces{""};
    for (const char c : word) {
        const bool starts = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (starts && pieces.back().size() >= kPiece)
            pieces.emplace_back();
        pieces.back() += c;
    }
    return pieces;
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

std::vector<std::string> TextNeedle::haystackWords(RandomStream& random, std::int64_t length) const
{
    if (m_wording.file.empty())
        return wordsOf(std::string(kNoise));
    const std::vector<std::string> words = wordsOf(readFile(m_wording.file, kLargestHaystack));
    if (words.empty())
        throw Error::at(ErrorKind::Malformed, {.file = m_wording.file.string(), .field = "haystack.file", .found = "no words", .allowed = "text to fill prompts with"});
    std::vector<std::string> part;
    const std::size_t from = std::size_t(random.below(words.size()));
    for (std::size_t i = 0; i < std::size_t(length); ++i)
        part.push_back(words[(from + i) % words.size()]);
    return part;
}

TextNeedle::Unit TextNeedle::unit(std::string text, bool joined) const
{
    const std::int64_t tokens = joined ? count("a" + text) - count("a") : count("a " + text) - count("a");
    return {std::move(text), tokens, joined};
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

const std::vector<TextNeedle::Unit>& TextNeedle::filler(std::int64_t length, std::int64_t trial, int draw) const
{
    if (m_filler.length == length && m_filler.trial == trial && m_filler.draw == draw)
        return m_filler.units;
    if (!m_wording.file.empty() || m_wording.haystack != "text") {
        RandomStream random(m_seed, "needle-filler", {m_corpusKey, std::uint64_t(length), std::uint64_t(trial), std::uint64_t(draw)});
        std::vector<Unit> units;
        std::int64_t tokens = 0;
        if (m_wording.haystack == "needles") {
            std::vector<std::string> all = nouns();
            for (std::size_t i = all.size(); i > 1; --i)
                std::swap(all[i - 1], all[std::size_t(random.below(i))]);
            const std::uint64_t cell = random.next64();
            for (std::int64_t i = 0; tokens < length && i < std::int64_t(all.size()); ++i) {
                units.push_back(unit(filled(m_wording.needle, all[std::size_t(i)], keyOf(cell, i, 0))));
                tokens += units.back().tokens;
            }
        }
        while (tokens < length && m_wording.haystack != "needles")
            for (const std::string& word : haystackWords(random, length)) {
                bool joined = false;
                for (const std::string& piece : piecesOf(word)) {
                    units.push_back(unit(piece, std::exchange(joined, true)));
                    tokens += units.back().tokens;
                }
            }
        m_filler = {length, trial, draw, std::move(units)};
        return m_filler.units;
    }
    std::int64_t block = 256;
    while (block > 1 && m_corpus.windows(data::Split::Validation, block) < 1)
        block /= 2;
    const std::int64_t windows = m_corpus.windows(data::Split::Validation, block);
    if (windows < 1)
        throw Error::at(ErrorKind::Malformed, {.field = "validation part", .found = "no window of text", .allowed = "text to fill prompts with"});

    RandomStream random(m_seed, "needle-filler", {m_corpusKey, std::uint64_t(length), std::uint64_t(trial), std::uint64_t(draw)});
    std::int64_t window = std::int64_t(random.below(std::uint64_t(windows)));
    std::vector<Unit> units;
    std::int64_t tokens = 0;
    std::int64_t fruitless = 0;
    while (tokens < length) {
        // Two windows at a time, so that few words are cut; the words at both ends are left out.
        std::vector<std::int32_t> ids;
        std::string text;
        for (int i = 0; i < 2; ++i) {
            const data::Window part = m_corpus.window(data::Split::Validation, block, window);
            window = (window + 1) % windows;
            for (std::size_t t = 0; t < part.inputs.size() && (t == 0 || part.targets[t - 1] != data::kIgnore); ++t) {
                if (part.inputs[t] != m_corpus.endOfDocument()) {
                    ids.push_back(part.inputs[t]);
                    continue;
                }
                text += m_corpus.decode(ids) + "\n";
                ids.clear();
            }
        }
        text += m_corpus.decode(ids);
        std::vector<std::string> words = wordsOf(text);
        if (words.size() > 2) {
            words.erase(words.begin());
            words.pop_back();
        }
        fruitless = words.empty() ? fruitless + 1 : 0;
        if (fruitless > windows)
            throw Error::at(ErrorKind::Malformed, {.field = "validation part", .found = "no words", .allowed = "text to fill prompts with"});
        for (const std::string& word : words) {
            bool joined = false;
            for (const std::string& piece : piecesOf(word)) {
                units.push_back(unit(piece, std::exchange(joined, true)));
                tokens += units.back().tokens;
            }
        }
    }
    m_filler = {length, trial, draw, std::move(units)};
    return m_filler.units;
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

std::optional<NeedlePrompt> TextNeedle::attempt(const TrialPlace& place, Haystack haystack, int draw) const
{
    const std::uint64_t length = std::uint64_t(place.length);
    const std::uint64_t trial = std::uint64_t(place.trial);
    const int fillerDraw = draw / kDrawsOfAFiller;
    std::vector<Unit> filler = this->filler(place.length, place.trial, fillerDraw);

    // Of the haystack, shared by all depths.
    RandomStream shared(m_seed, "needle-haystack", {m_corpusKey, length, trial, std::uint64_t(fillerDraw)});
    std::vector<std::string> nouns = this->nouns();
    for (std::size_t i = nouns.size(); i > 1; --i)
        std::swap(nouns[i - 1], nouns[std::size_t(shared.below(i))]);
    const std::uint64_t sharedCell = shared.next64();
    struct Distractor {
        double place;
        Unit unit;
    };
    std::vector<Distractor> distractors;
    for (int i = 0; i < m_wording.distractors; ++i)
        distractors.push_back({shared.uniform(), unit(filled(m_wording.needle, nouns[std::size_t(i)], keyOf(sharedCell, i, 0)))});
    std::stable_sort(distractors.begin(), distractors.end(), [](const Distractor& a, const Distractor& b) { return a.place < b.place; });
    if (haystack == Haystack::ShuffledFiller) {
        RandomStream control(m_seed, "needle-shuffle", {m_corpusKey, length, trial});
        for (std::size_t i = filler.size(); i > 1; --i)
            std::swap(filler[i - 1], filler[std::size_t(control.below(i))]);
        for (Unit& word : filler)
            word.joined = false;
    }

    // Of this trial at this depth.
    RandomStream own(m_seed, "needle", {m_corpusKey, length, depthKey(place.depth), trial, std::uint64_t(draw)});
    const std::size_t first = std::size_t(m_wording.distractors);
    const std::size_t choice = std::size_t(own.below(nouns.size() - first));
    const std::string& noun = nouns[first + choice];
    const std::uint64_t cell = RandomStream(m_seed, "needle-key", {m_corpusKey, length, depthKey(place.depth)}).next64();
    const std::string key = keyOf(cell, place.trial, draw);
    const std::string stated = haystack == Haystack::OtherKey ? keyOf(own.next64(), place.trial, draw) : key;
    const bool hasNeedle = haystack != Haystack::NoNeedle;
    const Unit needle = hasNeedle ? unit(filled(m_wording.needle, noun, stated)) : Unit{};

    // Further asked needles stand among the distractors.
    std::vector<std::string> asked{noun};
    std::vector<std::string> keys{key};
    std::vector<std::string> askedNeedles{needle.text};
    for (int i = 1; i < m_wording.asked(); ++i) {
        const std::string& other = m_wording.values > 1 ? noun : nouns[first + (choice + std::size_t(i)) % (nouns.size() - first)];
        if (m_wording.values == 1)
            asked.push_back(other);
        keys.push_back(keyOf(own.next64(), place.trial, draw));
        const std::string said = haystack == Haystack::OtherKey ? keyOf(own.next64(), place.trial, draw) : keys.back();
        const double at = m_wording.spread == "even" ? std::min(place.depth + (1 - place.depth) * double(i) / double(m_wording.asked()), 1 - 0x1p-40) : own.uniform();  // below 1, or it would stand behind the filler
        if (!hasNeedle)
            continue;
        distractors.push_back({at, unit(filled(m_wording.needle, other, said))});
        askedNeedles.push_back(distractors.back().unit.text);
    }
    std::stable_sort(distractors.begin(), distractors.end(), [](const Distractor& a, const Distractor& b) { return a.place < b.place; });
    const Unit question = unit(filled(m_wording.question, listed(asked), ""));
    std::string answerText;

    std::int64_t room = place.length - needle.tokens - question.tokens - m_answerTokens;
    for (const Distractor& d : distractors)
        room -= d.unit.tokens;
    std::size_t fillers = 0;
    for (std::int64_t used = 0; fillers < filler.size() && (used += filler[fillers].tokens) <= room;)
        ++fillers;

    std::string text;
    std::vector<std::int32_t> ids;
    std::size_t needleAt = 0;
    std::size_t afterNeedle = 0;
    std::size_t questionAt = 0;
    const auto append = [&text](const Unit& u) {
        if (!text.empty() && !u.joined)
            text += ' ';
        const std::size_t at = text.size();
        text += u.text;
        return at;
    };
    const auto assemble = [&](std::size_t n) {
        std::vector<const Unit*> body;
        std::size_t next = 0;
        for (std::size_t w = 0; w <= n; ++w) {
            for (; next < distractors.size() && std::size_t(distractors[next].place * double(n + 1)) <= w; ++next)
                body.push_back(&distractors[next].unit);
            if (w < n)
                body.push_back(&filler[w]);
        }
        std::int64_t total = 0;
        for (const Unit* u : body)
            total += u->tokens;
        const double wish = place.depth * double(total);
        std::size_t best = 0;
        std::int64_t start = 0;
        double nearest = wish;
        for (std::size_t i = 0; i < body.size(); ++i) {
            start += body[i]->tokens;
            if (const double off = std::abs(double(start) - wish); off < nearest) {
                nearest = off;
                best = i + 1;
            }
        }
        text.clear();
        needleAt = afterNeedle = questionAt = 0;
        for (std::size_t i = 0; i <= body.size(); ++i) {
            if (i == best && hasNeedle)
                needleAt = append(needle);
            if (i < body.size()) {
                const std::size_t at = append(*body[i]);
                if (i == best)
                    afterNeedle = at;
            }
        }
        questionAt = append(question);
        if (best == body.size())
            afterNeedle = questionAt;
        std::vector<std::string> order = keys;
        if (m_wording.values > 1)
            std::stable_sort(order.begin(), order.end(), [&text](const std::string& a, const std::string& b) { return text.find(a) < text.find(b); });
        answerText = answer(order);
        ids = m_corpus.encode(text + answerText);
    };

    // Joined units are encoded together, so the estimate may be off by a few: walk to the largest number of words that fits.
    bool shrunk = false;
    for (assemble(fillers);;) {
        const std::int64_t slack = place.length - std::int64_t(ids.size());
        if (slack < 0) {
            if (fillers == 0)
                return std::nullopt;
            --fillers;
            shrunk = true;
        } else if (!shrunk && fillers < filler.size() && filler[fillers].tokens <= slack) {
            ++fillers;
        } else {
            break;
        }
        assemble(fillers);
    }

    // Valid only if the tokenizer agrees at every seam and the answer cannot be had elsewhere.
    const std::vector<std::int32_t> promptIds = m_corpus.encode(text);
    if (std::int64_t(ids.size() - promptIds.size()) != m_answerTokens || ids.size() <= promptIds.size() || !std::equal(promptIds.begin(), promptIds.end(), ids.begin()))
        return std::nullopt;
    if (m_corpus.decode(ids) != text + answerText)
        return std::nullopt;
    const bool statesKey = haystack == Haystack::Needle || haystack == Haystack::ShuffledFiller;
    for (const std::string& one : keys)
        if (occurrences(text, one) != (statesKey ? 1 : 0) || std::count(keys.begin(), keys.end(), one) != 1)
            return std::nullopt;
    for (const std::string& one : asked) {
        std::int64_t times = occurrences(question.text, one);
        for (const std::string& sentence : askedNeedles)
            times += occurrences(sentence, one);
        if (occurrences(text, one) != times)
            return std::nullopt;
    }

    NeedlePrompt prompt;
    prompt.answerBegin = std::int64_t(promptIds.size());
    prompt.key = std::string(trimmed(answerText));
    const std::size_t keyAt = hasNeedle ? text.find(stated, needleAt) : 0;
    const auto at = tokensAt(m_corpus, ids, text.size() + answerText.size(), {needleAt, afterNeedle, questionAt, keyAt});
    prompt.tokens = std::move(ids);
    prompt.questionIndex = at[2];
    if (hasNeedle) {
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
