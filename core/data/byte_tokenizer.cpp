#include "core/data/byte_tokenizer.h"

#include "core/base/files.h"

namespace holo::data {

void ByteTokenizer::encode(std::string_view text, std::vector<std::uint32_t>& ids) const
{
    const std::size_t start = ids.size();
    ids.resize(start + text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
        ids[start + i] = static_cast<unsigned char>(text[i]);
}

std::string ByteTokenizer::decode(std::span<const std::uint32_t> ids) const
{
    std::string text;
    text.reserve(ids.size());
    for (const std::uint32_t id : ids) {
        if (id < 256)
            text += char(id);
        else
            text += id == kEndOfDocument ? "<|endoftext|>" : "\uFFFD";
    }
    return text;
}

std::string ByteTokenizer::fingerprint() const { return sha256("bytes, end of document 256"); }

}  // namespace holo::data
