#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holo::data {

struct SpecialToken {
    std::uint32_t id = 0;
    std::string text;  // how it is shown; never looked for in text
};

// Text to ids and back. encode() takes every character as an ordinary one: a document that mentions "<|endoftext|>" gets the ids of those
// letters, never the control token. Control tokens enter a stream by their ids alone. Const members may be called from several threads.
class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    virtual std::string kind() const = 0;                     // "bytes", "bpe", "sentencepiece"
    virtual std::uint32_t vocabularySize() const = 0;         // every id is below it
    virtual std::uint32_t endOfDocument() const = 0;          // stands between documents
    virtual std::vector<SpecialToken> specialTokens() const = 0;

    // Appends the ids of `text` (valid UTF-8) to `ids`.
    virtual void encode(std::string_view text, std::vector<std::uint32_t>& ids) const = 0;
    std::vector<std::uint32_t> encode(std::string_view text) const;

    // Text of the ids; control tokens appear as their text, ids without a meaning (padding of the vocabulary) as U+FFFD.
    // The result need not be valid UTF-8 where ids cut a character.
    virtual std::string decode(std::span<const std::uint32_t> ids) const = 0;

    // For streaming: length of a start of `text` whose ids do not depend on what follows, so that
    // encode(start) + encodeContinued(rest) equals encode(whole). May be 0: then more text is needed.
    virtual std::size_t stablePrefix(std::string_view text) const = 0;
    // Like encode, for text that continues a document after such a start.
    virtual void encodeContinued(std::string_view text, std::vector<std::uint32_t>& ids) const { encode(text, ids); }

    // The file that describes it, for keeping beside the data: name and content. Empty name where the kind says it all.
    virtual std::pair<std::string, std::string> file() const = 0;
    // SHA-256 over everything that decides about ids.
    virtual std::string fingerprint() const = 0;
};

// "bytes", a tokenizer.json, a SentencePiece .model, or a folder that holds one of these.
// Throws Error: (malformed) for missing or broken files, (unsupported) by name for kinds we do not read.
std::unique_ptr<Tokenizer> loadTokenizer(const std::string& source);

}  // namespace holo::data
