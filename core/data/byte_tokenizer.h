#pragma once

#include "core/data/tokenizer.h"

namespace holo::data {

// Byte b has the id b; 256 stands between documents. Vocabulary 257.
class ByteTokenizer : public Tokenizer {
public:
    static constexpr std::uint32_t kEndOfDocument = 256;
    static constexpr std::uint32_t kVocabulary = 257;

    std::string kind() const override { return "bytes"; }
    std::uint32_t vocabularySize() const override { return kVocabulary; }
    std::uint32_t endOfDocument() const override { return kEndOfDocument; }
    std::vector<SpecialToken> specialTokens() const override { return {{kEndOfDocument, "<|endoftext|>"}}; }
    void encode(std::string_view text, std::vector<std::uint32_t>& ids) const override;
    using Tokenizer::encode;
    std::string decode(std::span<const std::uint32_t> ids) const override;
    std::size_t stablePrefix(std::string_view text) const override { return text.size(); }
    std::pair<std::string, std::string> file() const override { return {}; }
    std::string fingerprint() const override;
};

}  // namespace holo::data
