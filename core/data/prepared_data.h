#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/data/token_stream.h"
#include "core/data/tokenizer.h"

namespace holo::data {

// A folder of prepared data: data.json, train_*.bin and val_*.bin (llm.c shards), and the tokenizer's file unless it is "bytes".
// data.json: {format, hash, tokenizer, tokenizer_file, tokenizer_fingerprint, vocab, end_of_document, documents, validation_documents, separators,
// tokens:{train,val}, bytes, replaced, width, largest_id, shards:[{file, part, tokens, bytes, sha256}], val_share, seed, notes}.
// `tokenizer` is null and `end_of_document` −1 for data that came as token shards.
class PreparedData {
public:
    // Checks the description and that each shard is there with the size and width it says.
    // Throws Error (malformed) that names the file and field, or (unsupported) for a newer format.
    static PreparedData open(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return m_folder; }
    const Json& description() const { return m_description; }
    std::string hash() const;
    std::uint32_t vocabulary() const;
    std::int64_t endOfDocument() const;  // −1: none is known

    const TokenStream& train() const { return m_train; }
    const TokenStream& validation() const { return m_validation; }

    // Null for data without one. Throws Error (malformed) if its file does not match the fingerprint recorded.
    std::unique_ptr<Tokenizer> tokenizer() const;
    // SHA-256 of every shard against the description; throws Error (malformed) that names the first that differs.
    void verify() const;

private:
    std::filesystem::path m_folder;
    Json m_description;
    TokenStream m_train;
    TokenStream m_validation;
};

}  // namespace holo::data
