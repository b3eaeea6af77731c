#pragma once

#include <memory>

#include "core/data/corpus.h"
#include "core/data/prepared_data.h"

namespace holo::data {

// A folder of prepared data as a Corpus. Under packing "stream" window i is the inputs [i·length, (i+1)·length) of its part and their targets.
// Under "document" window i is document i cut to `length` inputs: its last scored target is the separator that ends it, or its next token; what is
// left of the window is filled with the separator and not scored.
class PreparedCorpus : public Corpus {
public:
    // Throws Error (usage) for packing "document" over data without separators.
    PreparedCorpus(PreparedData data, const std::string& packing);

    int vocabulary() const override { return int(m_data.vocabulary()); }
    std::string hash() const override { return m_hash; }
    Json describe() const override;
    std::int64_t windows(Split split, std::int64_t length) const override;
    Window window(Split split, std::int64_t length, std::int64_t index) const override;
    std::string decode(std::span<const std::int32_t> tokens) const override;   // ids joined by blanks for data without a tokenizer
    std::vector<std::int32_t> encode(const std::string& text) const override;  // throws Error (unsupported) for data without a tokenizer
    int endOfDocument() const override { return int(m_data.endOfDocument()); }

private:
    struct Document {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;  // after its separator
    };
    const TokenStream& part(Split split) const { return split == Split::Train ? m_data.train() : m_data.validation(); }
    const std::vector<Document>& documents(Split split) const { return split == Split::Train ? m_trainDocuments : m_validationDocuments; }

    PreparedData m_data;
    std::unique_ptr<Tokenizer> m_tokenizer;
    bool m_byDocument;
    std::string m_hash;
    std::vector<Document> m_trainDocuments;
    std::vector<Document> m_validationDocuments;
};

}  // namespace holo::data
