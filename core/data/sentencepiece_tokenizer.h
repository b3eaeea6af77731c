#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/data/text_options.h"
#include "core/data/text_sources.h"
#include "core/data/tokenizer.h"

namespace holo::data {

// A SentencePiece model (github.com/google/sentencepiece). Control symbols are never parsed out of text; the model's </s> stands between
// documents, or its <s> or <unk> where it has none.
class SentencePieceTokenizer : public Tokenizer {
public:
    // Throws Error (malformed) for a file that is no model.
    static std::unique_ptr<SentencePieceTokenizer> open(const std::filesystem::path& file);

    // Trains a BPE model with byte fallback that gives every text back exactly (no normalisation, no blank added or removed, line feed a
    // symbol of its own). Uses at most 64 MiB of the text, spread evenly over the documents. The result depends on the text alone.
    // A text too small for that many ids gets fewer. Throws Error (usage) for a vocabulary that the characters of the text alone exceed.
    // The one thing not given back is U+2581, which the format keeps for itself and turns into a blank.
    static std::unique_ptr<SentencePieceTokenizer> train(const TextSources& sources, const TextOptions& options, int vocabulary);

    ~SentencePieceTokenizer() override;

    std::string kind() const override { return "sentencepiece"; }
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
    explicit SentencePieceTokenizer(std::string model, const std::string& source);

    struct Impl;
    std::unique_ptr<Impl> m_impl;
    std::string m_model;  // the serialised model
};

}  // namespace holo::data
