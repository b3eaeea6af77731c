#include "core/data/tokenizer.h"

#include "core/base/error.h"
#include "core/data/bpe_tokenizer.h"
#include "core/data/byte_tokenizer.h"
#include "core/data/sentencepiece_tokenizer.h"

namespace holo::data {

namespace fs = std::filesystem;

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text) const
{
    std::vector<std::uint32_t> ids;
    encode(text, ids);
    return ids;
}

std::unique_ptr<Tokenizer> loadTokenizer(const std::string& source)
{
    if (source == "bytes")
        return std::make_unique<ByteTokenizer>();
    const fs::path path = source;
    std::error_code ec;
    if (fs::is_directory(path, ec)) {
        for (const char* name : {"tokenizer.json", "tokenizer.model"})
            if (fs::exists(path / name, ec))
                return loadTokenizer((path / name).string());
        throw Error::at(ErrorKind::Malformed, {source, "tokenizer of the folder", "missing", "tokenizer.json or tokenizer.model"});
    }
    if (!fs::exists(path, ec))
        throw Error::at(ErrorKind::Malformed, {source, "tokenizer", "no such file", "bytes, sentencepiece:V, a tokenizer.json or a SentencePiece .model"});
    if (path.extension() == ".json")
        return BpeTokenizer::open(path);
    if (path.extension() == ".model")
        return SentencePieceTokenizer::open(path);
    throw Error::at(ErrorKind::Unsupported, {source, "kind of tokenizer file", "\"" + path.extension().string() + "\"", ".json (byte-level BPE) or .model (SentencePiece)"});
}

}  // namespace holo::data
