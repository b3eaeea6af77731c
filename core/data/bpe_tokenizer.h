#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/data/tokenizer.h"

namespace holo::data {

// Byte-level BPE as a Hugging Face tokenizer.json describes it (GPT-2, GPT-NeoX/Pythia, OLMo, Llama 3, Qwen 2): model BPE, pre-tokenizer
// ByteLevel or Split + ByteLevel with a known pattern (split_pattern.h), normaliser none or NFC. Other kinds are refused by name (unsupported).
// Added tokens are never looked for in text, but for those that are not special and made of blanks alone (GPT-NeoX has them for runs of blanks).
// Between documents stands <|endoftext|>, <|end_of_text|>, </s> or <eos>, whichever is there first; a file without any gets one id more.
// Hostile files are refused (malformed): ids must be whole, unique and below 16 times the number of entries, merges must name known tokens.
class BpeTokenizer : public Tokenizer {
public:
    static std::unique_ptr<BpeTokenizer> open(const std::filesystem::path& file);
    static std::unique_ptr<BpeTokenizer> parse(std::string text, const std::string& source);
    ~BpeTokenizer() override;

    std::string kind() const override { return "bpe"; }
    std::uint32_t vocabularySize() const override;
    std::uint32_t endOfDocument() const override;
    std::vector<SpecialToken> specialTokens() const override;
    void encode(std::string_view text, std::vector<std::uint32_t>& ids) const override;
    using Tokenizer::encode;
    void encodeContinued(std::string_view text, std::vector<std::uint32_t>& ids) const override;
    std::string decode(std::span<const std::uint32_t> ids) const override;
    std::size_t stablePrefix(std::string_view text) const override;
    std::pair<std::string, std::string> file() const override;
    std::string fingerprint() const override;

private:
    BpeTokenizer();
    void encodeText(std::string_view text, bool starts, std::vector<std::uint32_t>& ids) const;

    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace holo::data
