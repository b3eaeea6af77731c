#include "core/data/sentencepiece_tokenizer.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/sentencepiece_check.h"
#include "core/data/text_reader.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kModelBytes = 256u << 20;
constexpr std::size_t kTrainingBytes = 64u << 20;
constexpr std::size_t kLongestSentence = 4000;
constexpr std::string_view kBlank = "\xE2\x96\x81";  // U+2581, how a model writes a blank

// Lines of the documents, at most `limit` bytes: of larger sources every k-th piece.
class SampledLines : public sentencepiece::SentenceIterator {
public:
    SampledLines(const TextSources& sources, const TextOptions& options)
        : m_reader(sources, options)
        , m_share(std::min(1.0, double(kTrainingBytes) / double(std::max<std::uint64_t>(1, m_reader.totalBytes()))))
    {
        Next();
    }

    bool done() const override { return m_done; }
    const std::string& value() const override { return m_line; }
    sentencepiece::util::Status status() const override { return {}; }

    void Next() override
    {
        do {
            while (m_place >= m_text.size()) {
                TextPiece piece;
                if (!m_reader.next(piece)) {
                    m_done = true;
                    return;
                }
                m_owed += double(piece.text.size()) * m_share;
                m_text = piece.text.substr(0, std::size_t(std::max(0.0, m_owed)));
                m_owed -= double(m_text.size());
                while (!m_text.empty() && m_text.size() < piece.text.size() && (static_cast<unsigned char>(piece.text[m_text.size()]) & 0xC0u) == 0x80u)
                    m_text.pop_back();
                m_place = 0;
            }
            std::size_t end = std::min(m_text.find('\n', m_place), m_text.size());
            if (end - m_place > kLongestSentence) {
                end = m_place + kLongestSentence;
                while (end > m_place && m_text[end] != ' ' && (static_cast<unsigned char>(m_text[end]) & 0xC0u) == 0x80u)
                    --end;
            }
            m_line = m_text.substr(m_place, end - m_place);
            m_place = end + (end < m_text.size() && m_text[end] == '\n');
        } while (m_line.empty() || m_line.find('\0') != std::string::npos);
    }

private:
    TextReader m_reader;
    double m_share;
    double m_owed = 0;
    std::string m_text;
    std::size_t m_place = 0;
    std::string m_line;
    bool m_done = false;
};

}  // namespace

struct SentencePieceTokenizer::Impl {
    sentencepiece::SentencePieceProcessor processor;
    std::vector<std::string> texts;   // of each id, blanks as blanks, bytes as bytes
    std::vector<bool> isControl;
    std::uint32_t endOfDocument = 0;
    bool addsBlank = false;           // in front of every text it encodes
    bool feedIsBlank = false;         // a line feed is encoded like a blank

    std::vector<int> encode(std::string_view text) const
    {
        std::vector<int> ids;
        const auto status = processor.Encode(text, &ids);
        if (!status.ok())
            throw Error(ErrorKind::Internal, "SentencePiece could not encode a text (" + status.ToString() + ").");
        return ids;
    }
};

SentencePieceTokenizer::SentencePieceTokenizer(std::string model, const std::string& source)
    : m_impl(std::make_unique<Impl>())
    , m_model(std::move(model))
{
    Impl& impl = *m_impl;
    const auto broken = [&](const std::string& why) { throw Error::at(ErrorKind::Malformed, {source, "the content", why, "a SentencePiece model"}); };
    if (const std::string fault = sentencePieceFault(m_model); !fault.empty())
        broken(fault);
    bool loaded = false;
    try {
        loaded = !m_model.empty() && impl.processor.LoadFromSerializedProto(m_model).ok();
    } catch (const std::exception&) {
        loaded = false;
    }
    if (!loaded)
        broken("no SentencePiece model that can be loaded");
    const int size = impl.processor.GetPieceSize();
    if (size <= 0)
        broken("a model without pieces");
    for (int id = 0; id < size; ++id) {
        std::string text = impl.processor.IdToPiece(id);
        const bool control = impl.processor.IsControl(id) || impl.processor.IsUnknown(id);
        if (impl.processor.IsByte(id) && text.size() == 6) {
            const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
            text = std::string(1, char(16 * digit(text[3]) + digit(text[4])));
        } else if (!control) {
            for (std::size_t at = 0; (at = text.find(kBlank, at)) != std::string::npos; ++at)
                text.replace(at, kBlank.size(), " ");
        }
        impl.texts.push_back(std::move(text));
        impl.isControl.push_back(control);
    }
    const auto known = [&](int id) { return id >= 0 && id < size; };
    const int end = known(impl.processor.eos_id()) ? impl.processor.eos_id() : known(impl.processor.bos_id()) ? impl.processor.bos_id() : impl.processor.unk_id();
    if (!known(end))
        broken("a model without </s>, <s> or <unk>");
    impl.endOfDocument = std::uint32_t(end);
    const auto start = impl.encode("a");
    impl.addsBlank = !start.empty() && impl.texts[std::size_t(start.front())].starts_with(' ');
    impl.feedIsBlank = impl.encode("a\nb") == impl.encode("a b");
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::unique_ptr<SentencePieceTokenizer> SentencePieceTokenizer::open(const fs::path& file)
{
    return std::unique_ptr<SentencePieceTokenizer>(new SentencePieceTokenizer(readFile(file, kModelBytes), file.string()));
}

std::unique_ptr<SentencePieceTokenizer> SentencePieceTokenizer::train(const TextSources& sources, const TextOptions& options, int vocabulary)
{
    const std::unordered_map<std::string, std::string> arguments{
        {"model_type", "bpe"}, {"vocab_size", std::to_string(vocabulary)}, {"byte_fallback", "true"}, {"normalization_rule_name", "identity"},
        {"add_dummy_prefix", "false"}, {"remove_extra_whitespaces", "false"}, {"allow_whitespace_only_pieces", "true"}, {"user_defined_symbols", "\n"},
        {"character_coverage", "0.9995"}, {"max_sentence_length", "8192"}, {"num_threads", "1"}, {"minloglevel", "2"}, {"hard_vocab_limit", "false"},
    };
    SampledLines lines(sources, options);
    const std::string source = sources.files.front().name;
    if (lines.done())
        throw Error::at(ErrorKind::Malformed, {source, "content", "empty", "text to train a tokenizer on"});
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &lines, &model);
    if (!status.ok()) {
        std::string why = status.ToString();
        if (const auto place = why.rfind("] "); place != std::string::npos)
            why.erase(0, place + 2);
        throw Error::at(ErrorKind::Usage, {source, "vocabulary of the tokenizer", std::to_string(vocabulary), "one that suits the text; SentencePiece says: " + why});
    }
    return std::unique_ptr<SentencePieceTokenizer>(new SentencePieceTokenizer(std::move(model), source));
}

std::uint32_t SentencePieceTokenizer::vocabularySize() const { return std::uint32_t(m_impl->texts.size()); }
std::uint32_t SentencePieceTokenizer::endOfDocument() const { return m_impl->endOfDocument; }

std::vector<SpecialToken> SentencePieceTokenizer::specialTokens() const
{
    std::vector<SpecialToken> tokens;
    for (std::size_t id = 0; id < m_impl->texts.size(); ++id)
        if (m_impl->isControl[id])
            tokens.push_back({std::uint32_t(id), m_impl->texts[id]});
    return tokens;
}

void SentencePieceTokenizer::encode(std::string_view text, std::vector<std::uint32_t>& ids) const
{
    const auto found = m_impl->encode(text);
    ids.insert(ids.end(), found.begin(), found.end());
}

void SentencePieceTokenizer::encodeContinued(std::string_view text, std::vector<std::uint32_t>& ids) const
{
    if (!m_impl->addsBlank || text.empty()) {
        encode(text, ids);
        return;
    }
    // The model puts a blank in front of what it takes for the start of a text.
    if (text.front() == ' ') {
        encode(text.substr(1), ids);
        return;
    }
    const auto found = m_impl->encode(text);
    const bool added = text.front() == '\n' && !m_impl->feedIsBlank && !found.empty() && m_impl->texts[std::size_t(found.front())] == " ";
    ids.insert(ids.end(), found.begin() + added, found.end());
}

std::string SentencePieceTokenizer::decode(std::span<const std::uint32_t> ids) const
{
    std::string text;
    for (const std::uint32_t id : ids)
        text += id < m_impl->texts.size() ? m_impl->texts[id] : "\uFFFD";
    if (m_impl->addsBlank && text.starts_with(' '))
        text.erase(0, 1);
    return text;
}

std::size_t SentencePieceTokenizer::stablePrefix(std::string_view text) const
{
    // Pieces begin with their blank and never reach over a line feed.
    if (const auto feed = text.rfind('\n'); feed != std::string_view::npos && feed > 0 && text[feed - 1] != '\n' && text[feed - 1] != ' ')
        return feed;
    for (std::size_t at = text.size(); at-- > 1;)
        if (text[at] == ' ' && text[at - 1] != ' ' && text[at - 1] != '\n')
            return at;
    return 0;
}

std::pair<std::string, std::string> SentencePieceTokenizer::file() const { return {"tokenizer.model", m_model}; }
std::string SentencePieceTokenizer::fingerprint() const { return sha256("sentencepiece\n" + m_model); }

}  // namespace holo::data
