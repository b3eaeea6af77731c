#include "core/data/bpe_tokenizer.h"

#include <algorithm>
#include <mutex>

#include <unicode/normalizer2.h>
#include <unicode/stringoptions.h>
#include <unicode/bytestream.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/bpe_description.h"
#include "core/data/bpe_merges.h"
#include "core/data/split_pattern.h"
#include "core/data/word_cache.h"

namespace holo::data {

namespace {

constexpr std::size_t kFileBytes = 64u << 20;

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::size_t(WordCache::hash(text)); }
};

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}


}  // namespace

struct BpeTokenizer::Impl {
    std::string json;
    SplitPattern pattern = SplitPattern::Gpt2;
    bool composes = false;
    bool addsBlank = false;
    bool ignoresMerges = false;
    std::uint32_t size = 0;
    std::uint32_t endOfDocument = 0;
    std::vector<std::string> texts;                      // of each id; empty: none
    std::vector<SpecialToken> specials;
    std::vector<std::pair<std::string, std::uint32_t>> blanks;  // added tokens of blanks, longest first
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> words;
    std::array<std::uint32_t, 256> bytes{};
    BpeMerges merges;

    // Caches are lent out, so that several threads may encode at once.
    mutable std::mutex mutex;
    mutable std::vector<std::unique_ptr<WordCache>> caches;

    std::unique_ptr<WordCache> lend() const
    {
        const std::lock_guard lock(mutex);
        if (caches.empty())
            return std::make_unique<WordCache>();
        auto cache = std::move(caches.back());
        caches.pop_back();
        return cache;
    }
    void giveBack(std::unique_ptr<WordCache> cache) const
    {
        const std::lock_guard lock(mutex);
        caches.push_back(std::move(cache));
    }

    void encodeWord(std::string_view word, WordCache& cache, std::vector<std::uint32_t>& scratch, std::vector<std::uint32_t>& ids) const
    {
        const std::uint64_t hash = WordCache::hash(word);
        if (const auto known = cache.find(word, hash); !known.empty()) {
            ids.insert(ids.end(), known.begin(), known.end());
            return;
        }
        scratch.clear();
        if (const auto it = ignoresMerges ? words.find(word) : words.end(); it != words.end()) {
            scratch.push_back(it->second);
        } else {
            for (const char c : word)
                scratch.push_back(bytes[static_cast<unsigned char>(c)]);
            merges.apply(scratch);
        }
        cache.keep(word, hash, scratch);
        ids.insert(ids.end(), scratch.begin(), scratch.end());
    }

    void encodeWords(std::string_view text, WordCache& cache, std::vector<std::uint32_t>& scratch, std::vector<std::uint32_t>& ids) const
    {
        while (!text.empty()) {
            const std::size_t length = nextWord(pattern, text);
            encodeWord(text.substr(0, length), cache, scratch, ids);
            text.remove_prefix(length);
        }
    }

    // Cuts out the added tokens of blanks, leftmost and longest first.
    void encodeAll(std::string_view text, WordCache& cache, std::vector<std::uint32_t>& scratch, std::vector<std::uint32_t>& ids) const
    {
        std::size_t start = 0;
        for (std::size_t at = 0; !blanks.empty() && at < text.size();) {
            const char c = text[at];
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                ++at;
                continue;
            }
            const auto found = std::find_if(blanks.begin(), blanks.end(), [&](const auto& blank) { return text.substr(at).starts_with(blank.first); });
            if (found == blanks.end()) {
                ++at;
                continue;
            }
            encodeWords(text.substr(start, at - start), cache, scratch, ids);
            ids.push_back(found->second);
            at += found->first.size();
            start = at;
        }
        encodeWords(text.substr(start), cache, scratch, ids);
    }
};

BpeTokenizer::BpeTokenizer()
    : m_impl(std::make_unique<Impl>())
{
}

BpeTokenizer::~BpeTokenizer() = default;

std::unique_ptr<BpeTokenizer> BpeTokenizer::open(const std::filesystem::path& file) { return parse(readFile(file, kFileBytes), file.string()); }

std::unique_ptr<BpeTokenizer> BpeTokenizer::parse(std::string text, const std::string& source)
{
    BpeDescription description = readBpeDescription(text, source);
    std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer);
    Impl& impl = *tokenizer->m_impl;
    impl.json = std::move(text);
    impl.pattern = description.pattern;
    impl.composes = description.composes;
    impl.addsBlank = description.addsBlank;
    impl.ignoresMerges = description.ignoresMerges;
    impl.size = description.size;
    impl.texts.resize(description.size);
    for (const auto& [word, id] : description.vocabulary) {
        impl.texts[id] = word;
        impl.words.emplace(word, id);
    }
    for (std::size_t b = 0; b < 256; ++b)
        if (const auto it = description.vocabulary.find(std::string(1, char(b))); it != description.vocabulary.end())
            impl.bytes[b] = it->second;
    for (const AddedToken& token : description.added) {
        impl.texts[token.id] = token.text;
        const bool blank = token.text.find_first_not_of(" \t\r\n") == std::string::npos;
        if (token.isSpecial || !blank)
            impl.specials.push_back({token.id, token.text});
        else
            impl.blanks.emplace_back(token.text, token.id);
    }
    std::stable_sort(impl.blanks.begin(), impl.blanks.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    impl.merges.reserve(description.merges.size());
    for (std::size_t rank = 0; rank < description.merges.size(); ++rank) {
        const auto [left, right] = description.merges[rank];
        if (!impl.merges.add(left, right, std::uint32_t(rank), description.merged[rank]))
            throw Error::at(ErrorKind::Malformed, {source, "model.merges, entry " + std::to_string(rank), "a pair for the second time", "each pair once"});
    }
    impl.endOfDocument = impl.size;
    for (const char* name : {"<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"}) {
        const auto it = std::find_if(impl.specials.begin(), impl.specials.end(), [&](const SpecialToken& token) { return token.text == name; });
        if (it != impl.specials.end()) {
            impl.endOfDocument = it->id;
            break;
        }
    }
    if (impl.endOfDocument == impl.size) {
        ++impl.size;
        impl.texts.emplace_back("<|endoftext|>");
        impl.specials.push_back({impl.endOfDocument, impl.texts.back()});
    }
    return tokenizer;
}

std::uint32_t BpeTokenizer::vocabularySize() const { return m_impl->size; }
std::uint32_t BpeTokenizer::endOfDocument() const { return m_impl->endOfDocument; }
std::vector<SpecialToken> BpeTokenizer::specialTokens() const { return m_impl->specials; }

void BpeTokenizer::encode(std::string_view text, std::vector<std::uint32_t>& ids) const { encodeText(text, true, ids); }
void BpeTokenizer::encodeContinued(std::string_view text, std::vector<std::uint32_t>& ids) const { encodeText(text, false, ids); }

void BpeTokenizer::encodeText(std::string_view text, bool starts, std::vector<std::uint32_t>& ids) const
{
    std::string changed;
    if (m_impl->composes && !isAscii(text)) {
        UErrorCode status = U_ZERO_ERROR;
        const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
        icu::StringByteSink<std::string> sink(&changed);
        if (nfc)
            nfc->normalizeUTF8(0, icu::StringPiece(text.data(), std::int32_t(text.size())), sink, nullptr, status);
        if (U_FAILURE(status))
            throw Error(ErrorKind::Internal, std::string("ICU could not normalise a text (") + u_errorName(status) + ").");
        text = changed;
    }
    std::string blanked;
    if (starts && m_impl->addsBlank && !text.empty() && text.front() != ' ') {
        blanked = " " + std::string(text);
        text = blanked;
    }
    auto cache = m_impl->lend();
    std::vector<std::uint32_t> scratch;
    m_impl->encodeAll(text, *cache, scratch, ids);
    m_impl->giveBack(std::move(cache));
}

std::string BpeTokenizer::decode(std::span<const std::uint32_t> ids) const
{
    std::string text;
    for (const std::uint32_t id : ids)
        text += id < m_impl->texts.size() && !m_impl->texts[id].empty() ? m_impl->texts[id] : "\uFFFD";
    return text;
}

std::size_t BpeTokenizer::stablePrefix(std::string_view text) const
{
    if (m_impl->pattern == SplitPattern::Whole)
        return 0;
    for (std::size_t at = text.size(); at-- > 1;)
        if (isCutEverywhere(text, at))
            return at;
    return 0;
}

std::pair<std::string, std::string> BpeTokenizer::file() const { return {"tokenizer.json", m_impl->json}; }
std::string BpeTokenizer::fingerprint() const { return sha256("bpe\n" + m_impl->json); }

}  // namespace holo::data
