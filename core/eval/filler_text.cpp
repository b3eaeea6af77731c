#include "core/eval/filler_text.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace holo::eval {

namespace {

constexpr std::size_t kLongestWord = 24;  // bytes; longer ones are cut, so that text without blanks has units too
constexpr std::size_t kPiece = 12;
constexpr std::string_view kNoise = "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.";
constexpr std::size_t kLargestFile = 256u << 20;  // bytes

std::int64_t count(const data::Corpus& corpus, const std::string& text) { return std::int64_t(corpus.encode(text).size()); }

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

// Collects units up to a number of tokens.
class Filler {
public:
    Filler(const data::Corpus& corpus, std::int64_t tokens)
        : m_corpus(corpus)
        , m_missing(tokens)
    {
    }

    bool isFull() const { return m_missing <= 0; }
    std::vector<TextUnit> take() { return std::move(m_units); }

    void add(const std::vector<std::string>& words)
    {
        for (const std::string& word : words) {
            bool joined = false;
            for (const std::string& piece : piecesOf(word)) {
                m_units.push_back(textUnit(m_corpus, piece, std::exchange(joined, true)));
                m_missing -= m_units.back().tokens;
            }
        }
    }

private:
    const data::Corpus& m_corpus;
    std::int64_t m_missing;
    std::vector<TextUnit> m_units;
};

// The text of two windows, with documents on lines of their own.
std::string textOfTwo(const data::Corpus& corpus, std::int64_t block, std::int64_t& window, std::int64_t windows)
{
    std::vector<std::int32_t> ids;
    std::string text;
    for (int i = 0; i < 2; ++i) {
        const data::Window part = corpus.window(data::Split::Validation, block, window);
        window = (window + 1) % windows;
        for (std::size_t t = 0; t < part.inputs.size() && (t == 0 || part.targets[t - 1] != data::kIgnore); ++t) {
            if (part.inputs[t] != corpus.endOfDocument()) {
                ids.push_back(part.inputs[t]);
                continue;
            }
            text += corpus.decode(ids) + "\n";
            ids.clear();
        }
    }
    return text + corpus.decode(ids);
}

}  // namespace

TextUnit textUnit(const data::Corpus& corpus, std::string text, bool joined)
{
    const std::int64_t tokens = count(corpus, (joined ? "a" : "a ") + text) - count(corpus, "a");
    return {std::move(text), tokens, joined};
}

std::vector<TextUnit> validationFiller(const data::Corpus& corpus, std::int64_t tokens, RandomStream& random)
{
    std::int64_t block = 256;
    while (block > 1 && corpus.windows(data::Split::Validation, block) < 1)
        block /= 2;
    const std::int64_t windows = corpus.windows(data::Split::Validation, block);
    if (windows < 1)
        throw Error::at(ErrorKind::Malformed, {.field = "validation part", .found = "no window of text", .allowed = "text to fill prompts with"});
    std::int64_t window = std::int64_t(random.below(std::uint64_t(windows)));
    Filler filler(corpus, tokens);
    std::int64_t fruitless = 0;
    while (!filler.isFull()) {
        // Two windows at a time, so that few words are cut; the words at both ends are left out.
        std::vector<std::string> words = wordsOf(textOfTwo(corpus, block, window, windows));
        if (words.size() > 2) {
            words.erase(words.begin());
            words.pop_back();
        }
        fruitless = words.empty() ? fruitless + 1 : 0;
        if (fruitless > windows)
            throw Error::at(ErrorKind::Malformed, {.field = "validation part", .found = "no words", .allowed = "text to fill prompts with"});
        filler.add(words);
    }
    return filler.take();
}

std::vector<TextUnit> noiseFiller(const data::Corpus& corpus, std::int64_t tokens)
{
    const std::vector<std::string> words = wordsOf(std::string(kNoise));
    Filler filler(corpus, tokens);
    while (!filler.isFull())
        filler.add(words);
    return filler.take();
}

std::vector<TextUnit> fileFiller(const data::Corpus& corpus, const std::filesystem::path& file, std::int64_t tokens, RandomStream& random)
{
    const std::vector<std::string> words = wordsOf(readFile(file, kLargestFile));
    if (words.empty())
        throw Error::at(ErrorKind::Malformed, {.file = file.string(), .field = "haystack.file", .found = "no words", .allowed = "text to fill prompts with"});
    Filler filler(corpus, tokens);
    while (!filler.isFull()) {
        std::vector<std::string> part;
        const std::size_t from = std::size_t(random.below(words.size()));
        for (std::size_t i = 0; i < std::size_t(tokens); ++i)
            part.push_back(words[(from + i) % words.size()]);
        filler.add(part);
    }
    return filler.take();
}

}  // namespace holo::eval
