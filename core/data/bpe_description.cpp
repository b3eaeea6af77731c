#include "core/data/bpe_description.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace holo::data {

namespace {

class Reader {
public:
    Reader(const std::string& text, const std::string& source)
        : m_source(source)
        , m_json(parseJson(text, source, {.bytes = 64u << 20, .depth = 32}))
    {
    }

    BpeDescription read()
    {
        if (!m_json.is_object())
            fail("the document", "no object", "a tokenizer.json");
        readModelKind();
        readNormalizer(member(m_json, "normalizer"));
        readPreTokenizer();
        readVocabulary(member(model(), "vocab"));
        readAdded(member(m_json, "added_tokens"));
        readMerges(member(model(), "merges"));
        return std::move(m_out);
    }

private:
    [[noreturn]] void fail(const std::string& field, const std::string& found, const std::string& allowed) const
    {
        throw Error::at(ErrorKind::Malformed, {m_source, field, shortened(found), allowed});
    }
    [[noreturn]] void unsupported(const std::string& field, const std::string& found, const std::string& allowed) const
    {
        throw Error::at(ErrorKind::Unsupported, {m_source, field, shortened(found), allowed});
    }
    static std::string shortened(const std::string& text) { return text.size() > 200 ? text.substr(0, 200) + "…" : text; }

    static const Json& member(const Json& object, const char* key)
    {
        static const Json kNull;
        if (!object.is_object())
            return kNull;
        const auto it = object.find(key);
        return it == object.end() ? kNull : *it;
    }
    const Json& model() const { return member(m_json, "model"); }

    std::string typeOf(const Json& value, const std::string& field) const
    {
        const Json& type = member(value, "type");
        if (!type.is_string())
            fail(field + ".type", dumpLine(type), "the name of a kind");
        return type.get<std::string>();
    }
    bool flag(const Json& object, const char* key, bool absent, const std::string& field) const
    {
        const Json& value = member(object, key);
        if (value.is_null())
            return absent;
        if (!value.is_boolean())
            fail(field + "." + key, dumpLine(value), "true or false");
        return value.get<bool>();
    }

    void readModelKind()
    {
        if (!model().is_object())
            fail("model", "missing", "an object");
        // Files of older versions leave the type out.
        const Json& type = member(model(), "type");
        if (!type.is_null() && typeOf(model(), "model") != "BPE")
            unsupported("model.type", typeOf(model(), "model"), "BPE");
        if (flag(model(), "byte_fallback", false, "model"))
            unsupported("model.byte_fallback", "true", "false, byte-level BPE; for such a model give its SentencePiece .model");
        for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
            if (const Json& value = member(model(), key); !value.is_null() && value != "")
                unsupported(std::string("model.") + key, dumpLine(value), "none, byte-level BPE");
        if (const Json& dropout = member(model(), "dropout"); !dropout.is_null() && !(dropout.is_number() && dropout.get<double>() == 0))
            unsupported("model.dropout", dumpLine(dropout), "none");
        m_out.ignoresMerges = flag(model(), "ignore_merges", false, "model");
    }

    void readNormalizer(const Json& value)
    {
        if (value.is_null())
            return;
        const std::string type = typeOf(value, "normalizer");
        if (type == "NFC") {
            m_out.composes = true;
        } else if (type == "Sequence") {
            for (const Json& part : list(member(value, "normalizers"), "normalizer.normalizers"))
                readNormalizer(part);
        } else {
            unsupported("normalizer.type", type, "none or NFC");
        }
    }

    const Json& list(const Json& value, const std::string& field) const
    {
        if (!value.is_array())
            fail(field, dumpLine(value), "a list");
        return value;
    }

    void readPreTokenizer()
    {
        const Json& value = member(m_json, "pre_tokenizer");
        if (value.is_null())
            unsupported("pre_tokenizer", "none", "ByteLevel, or Split followed by ByteLevel");
        std::optional<SplitPattern> pattern;
        bool byteLevel = false;
        const auto part = [&](const Json& step) {
            const std::string type = typeOf(step, "pre_tokenizer");
            if (type == "ByteLevel") {
                byteLevel = true;
                m_out.addsBlank = flag(step, "add_prefix_space", true, "pre_tokenizer");
                if (flag(step, "use_regex", true, "pre_tokenizer")) {
                    if (pattern)
                        unsupported("pre_tokenizer", "two splits after each other", "one");
                    pattern = SplitPattern::Gpt2;
                }
            } else if (type == "Split") {
                const Json& regex = member(member(step, "pattern"), "Regex");
                if (!regex.is_string())
                    unsupported("pre_tokenizer.pattern", dumpLine(member(step, "pattern")), "a Regex");
                const auto known = splitPatternFromRegex(regex.get<std::string>());
                if (!known || pattern || byteLevel)
                    unsupported("pre_tokenizer.pattern", regex.get<std::string>(), "one of the patterns of GPT-2, Llama 3 and Qwen 2");
                // The known patterns leave nothing between their matches, so keeping the matches alone is the same as isolating them.
                const Json& behavior = member(step, "behavior");
                const bool inverted = flag(step, "invert", false, "pre_tokenizer");
                if (!(behavior == "Isolated" && !inverted) && !(behavior == "Removed" && inverted))
                    unsupported("pre_tokenizer.behavior", dumpLine(behavior), "Isolated, or Removed with invert");
                pattern = known;
            } else {
                unsupported("pre_tokenizer.type", type, "ByteLevel, or Split followed by ByteLevel");
            }
        };
        if (typeOf(value, "pre_tokenizer") == "Sequence")
            for (const Json& step : list(member(value, "pretokenizers"), "pre_tokenizer.pretokenizers"))
                part(step);
        else
            part(value);
        if (!byteLevel)
            unsupported("pre_tokenizer", "not byte-level", "ByteLevel, or Split followed by ByteLevel");
        m_out.pattern = pattern.value_or(SplitPattern::Whole);
    }

    std::uint64_t id(const Json& value, const std::string& field) const
    {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= m_bound)
            fail(field, dumpLine(value), "a whole number below " + std::to_string(m_bound) + ", 16 times the number of entries");
        return value.get<std::uint64_t>();
    }

    // A token as the bytes it stands for; nothing if it has letters that stand for none, so that no text ever gives it.
    static std::optional<std::string> bytesOf(std::string_view token)
    {
        static const std::array<std::int16_t, 0x144> kBytes = [] {
            // Bytes that print stand for themselves, the others for U+0100 and on in order (GPT-2's bytes_to_unicode).
            std::array<std::int16_t, 0x144> table{};
            table.fill(-1);
            int next = 0x100;
            for (int b = 0; b < 256; ++b) {
                const bool prints = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
                table[std::size_t(prints ? b : next++)] = std::int16_t(b);
            }
            return table;
        }();
        std::string bytes;
        for (std::size_t i = 0; i < token.size();) {
            std::uint32_t code = static_cast<unsigned char>(token[i++]);
            if (code >= 0xE0)
                return std::nullopt;
            if (code >= 0x80)
                code = (code & 0x1F) << 6 | (static_cast<unsigned char>(token[i++]) & 0x3F);
            if (code >= kBytes.size() || kBytes[code] < 0)
                return std::nullopt;
            bytes += char(kBytes[code]);
        }
        return bytes;
    }

    void claim(std::uint64_t id, const std::string& token, const std::string& field)
    {
        if (const auto [it, fresh] = m_owners.emplace(id, token); !fresh && it->second != token)
            fail(field, "id " + std::to_string(id) + " of \"" + token + "\", which \"" + it->second + "\" has too", "each id once");
        m_out.size = std::max(m_out.size, std::uint32_t(id) + 1);
    }

    void readVocabulary(const Json& vocabulary)
    {
        if (!vocabulary.is_object() || vocabulary.empty())
            fail("model.vocab", vocabulary.is_object() ? "empty" : dumpLine(vocabulary), "an object of tokens and ids");
        const Json& added = member(m_json, "added_tokens");
        m_bound = 16 * (vocabulary.size() + (added.is_array() ? added.size() : 0));
        m_bound = std::min<std::uint64_t>(m_bound, std::uint64_t(1) << 31);
        for (const auto& [token, value] : vocabulary.items()) {
            const auto number = std::uint32_t(id(value, "model.vocab, \"" + shortened(token) + "\""));
            claim(number, token, "model.vocab");
            m_ids.emplace(token, number);
            if (auto bytes = bytesOf(token); bytes && !bytes->empty())
                m_out.vocabulary.emplace(std::move(*bytes), number);
        }
        // UTF-8 never holds the bytes C0, C1 and F5 … FF; GPT-NeoX's vocabulary leaves them out.
        for (int b = 0; b < 256; ++b)
            if (b != 0xC0 && b != 0xC1 && b < 0xF5 && !m_out.vocabulary.contains(std::string(1, char(b))))
                unsupported("model.vocab", "without a token for byte " + std::to_string(b), "a byte-level vocabulary, which has all bytes of UTF-8");
    }

    void readAdded(const Json& value)
    {
        if (value.is_null())
            return;
        for (const Json& entry : list(value, "added_tokens")) {
            const Json& content = member(entry, "content");
            if (!content.is_string() || content.get_ref<const std::string&>().empty())
                fail("added_tokens.content", dumpLine(content), "text");
            const auto text = content.get<std::string>();
            const auto number = std::uint32_t(id(member(entry, "id"), "added_tokens, \"" + shortened(text) + "\""));
            claim(number, text, "added_tokens");
            if (const auto it = m_ids.find(text); it != m_ids.end() && it->second != number)
                fail("added_tokens, \"" + shortened(text) + "\"", "id " + std::to_string(number), std::to_string(it->second) + " as in model.vocab");
            m_out.added.push_back({number, text, flag(entry, "special", false, "added_tokens")});
            const bool plain = !flag(entry, "lstrip", false, "added_tokens") && !flag(entry, "rstrip", false, "added_tokens") && !flag(entry, "single_word", false, "added_tokens");
            const bool blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
            if (blank && !plain && !m_out.added.back().isSpecial)
                unsupported("added_tokens, a token of blanks", "lstrip, rstrip or single_word", "none of these");
        }
    }

    void readMerges(const Json& merges)
    {
        for (const Json& entry : list(merges, "model.merges")) {
            const std::string field = "model.merges, entry " + std::to_string(m_out.merges.size());
            std::string left;
            std::string right;
            if (entry.is_string()) {
                const std::string& both = entry.get_ref<const std::string&>();
                const auto blank = both.find(' ');
                if (blank == std::string::npos || both.find(' ', blank + 1) != std::string::npos)
                    fail(field, "\"" + both + "\"", "two tokens with a blank between them");
                left = both.substr(0, blank);
                right = both.substr(blank + 1);
            } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
                left = entry[0].get<std::string>();
                right = entry[1].get<std::string>();
            } else {
                fail(field, dumpLine(entry), "two tokens");
            }
            const auto known = [&](const std::string& token) {
                const auto it = m_ids.find(token);
                if (it == m_ids.end())
                    fail(field, "\"" + token + "\", which the vocabulary does not hold", "known tokens");
                return it->second;
            };
            m_out.merges.emplace_back(known(left), known(right));
            m_out.merged.push_back(known(left + right));
        }
    }

    const std::string& m_source;
    Json m_json;
    BpeDescription m_out;
    std::uint64_t m_bound = 0;
    std::unordered_map<std::string, std::uint32_t> m_ids;       // as the file spells tokens
    std::unordered_map<std::uint64_t, std::string> m_owners;
};

}  // namespace

BpeDescription readBpeDescription(const std::string& text, const std::string& source) { return Reader(text, source).read(); }

}  // namespace holo::data
