#include "core/data/prepared_corpus.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/batches.h"

namespace holo::data {

PreparedCorpus::PreparedCorpus(PreparedData data, const std::string& packing)
    : m_data(std::move(data))
    , m_tokenizer(m_data.tokenizer())
    , m_byDocument(packing == "document")
    , m_hash(m_byDocument ? sha256(m_data.hash() + ":document") : m_data.hash())
{
    if (!m_byDocument)
        return;
    if (m_data.endOfDocument() < 0)
        throw Error::at(ErrorKind::Usage, {.file = m_data.folder().string(), .field = "data.packing", .found = "document", .allowed = "stream, as the data has no end-of-document id"});
    const auto separator = std::uint32_t(m_data.endOfDocument());
    for (const Split split : {Split::Train, Split::Validation}) {
        const TokenStream& stream = part(split);
        auto& found = split == Split::Train ? m_trainDocuments : m_validationDocuments;
        std::vector<std::uint32_t> block(1 << 16);
        std::uint64_t begin = 0;
        for (std::uint64_t at = 0; at < stream.tokens(); at += block.size()) {
            const std::uint64_t count = std::min<std::uint64_t>(block.size(), stream.tokens() - at);
            stream.read(at, count, block.data());
            for (std::uint64_t i = 0; i < count; ++i)
                if (block[i] == separator) {
                    found.push_back({begin, at + i + 1});
                    begin = at + i + 1;
                }
        }
        if (begin < stream.tokens())
            found.push_back({begin, stream.tokens()});
        std::erase_if(found, [](const Document& d) { return d.end - d.begin < 2; });  // nothing to predict
    }
}

Json PreparedCorpus::describe() const
{
    Json json = m_data.description();
    json["packing"] = m_byDocument ? "document" : "stream";
    return json;
}

std::int64_t PreparedCorpus::windows(Split split, std::int64_t length) const
{
    if (length < 1)
        throw Error::at(ErrorKind::Usage, {.field = "length", .found = std::to_string(length), .allowed = "1 or more"});
    if (m_byDocument)
        return std::int64_t(documents(split).size());
    return std::int64_t(batchesOf(part(split).tokens(), 1, std::uint64_t(length)).count);
}

Window PreparedCorpus::window(Split split, std::int64_t length, std::int64_t index) const
{
    const std::int64_t count = windows(split, length);
    if (index < 0 || index >= count)
        throw Error::at(ErrorKind::Usage, {.field = "window", .found = std::to_string(index), .allowed = "0 to " + std::to_string(count - 1)});
    Document range{std::uint64_t(index) * std::uint64_t(length), std::uint64_t(index + 1) * std::uint64_t(length) + 1};
    if (m_byDocument) {
        range = documents(split)[std::size_t(index)];
        range.end = std::min(range.end, range.begin + std::uint64_t(length) + 1);
    }
    std::vector<std::uint32_t> ids(std::size_t(range.end - range.begin));
    part(split).read(range.begin, ids.size(), ids.data());
    Window window;
    window.scored = std::int64_t(ids.size()) - 1;
    window.inputs.assign(ids.begin(), ids.end() - 1);
    window.targets.assign(ids.begin() + 1, ids.end());
    window.inputs.resize(std::size_t(length), std::int32_t(std::max<std::int64_t>(0, m_data.endOfDocument())));
    window.targets.resize(std::size_t(length), kIgnore);
    return window;
}

std::string PreparedCorpus::decode(std::span<const std::int32_t> tokens) const
{
    if (m_tokenizer) {
        const std::vector<std::uint32_t> ids(tokens.begin(), tokens.end());
        return m_tokenizer->decode(ids);
    }
    std::string text;
    for (const std::int32_t token : tokens)
        text += (text.empty() ? "" : " ") + std::to_string(token);
    return text;
}

std::vector<std::int32_t> PreparedCorpus::encode(const std::string& text) const
{
    if (!m_tokenizer)
        throw Error::at(ErrorKind::Unsupported, {.file = m_data.folder().string(), .field = "tokenizer", .found = "none, the data came as token shards", .allowed = "data with a tokenizer"});
    const std::vector<std::uint32_t> ids = m_tokenizer->encode(text);
    return {ids.begin(), ids.end()};
}

}  // namespace holo::data
