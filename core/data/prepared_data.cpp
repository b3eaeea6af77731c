#include "core/data/prepared_data.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/byte_tokenizer.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

const char* const kDescription = "data.json";

[[noreturn]] void fail(const fs::path& file, const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Malformed, {file.string(), field, found, allowed});
}

const Json& member(const Json& object, const char* key, const fs::path& file)
{
    const auto it = object.is_object() ? object.find(key) : object.end();
    if (it == object.end())
        fail(file, key, "missing", "present");
    return *it;
}

std::uint64_t count(const Json& object, const char* key, const fs::path& file)
{
    const Json& value = member(object, key, file);
    if (!value.is_number_unsigned())
        fail(file, key, dumpLine(value), "a whole number from 0");
    return value.get<std::uint64_t>();
}

std::string text(const Json& object, const char* key, const fs::path& file)
{
    const Json& value = member(object, key, file);
    if (!value.is_string())
        fail(file, key, dumpLine(value), "text");
    return value.get<std::string>();
}

// A name inside the folder and nothing else.
fs::path plainName(const std::string& name, const fs::path& file)
{
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos || name.find('\0') != std::string::npos)
        fail(file, "file name", "\"" + name + "\"", "a plain name inside the folder");
    return name;
}

}  // namespace

PreparedData PreparedData::open(const fs::path& folder)
{
    PreparedData data;
    data.m_folder = folder;
    const fs::path file = folder / kDescription;
    data.m_description = readJsonFile(file);
    const Json& json = data.m_description;
    if (const std::uint64_t format = count(json, "format", file); format != 1)
        throw Error::at(ErrorKind::Unsupported, {file.string(), "format", std::to_string(format), "1"});
    text(json, "hash", file);
    if (const std::uint64_t vocab = count(json, "vocab", file); vocab == 0 || vocab > 0xFFFFFFFF)
        fail(file, "vocab", std::to_string(vocab), "1 to 2^32 - 1");
    if (!member(json, "end_of_document", file).is_number_integer())
        fail(file, "end_of_document", dumpLine(json["end_of_document"]), "an id, or -1");
    const std::uint64_t width = count(json, "width", file);

    std::vector<TokenShard> train;
    std::vector<TokenShard> validation;
    const Json& shards = member(json, "shards", file);
    if (!shards.is_array())
        fail(file, "shards", dumpLine(shards), "a list");
    for (const Json& entry : shards) {
        const std::string part = text(entry, "part", file);
        if (part != "train" && part != "val")
            fail(file, "shards.part", part, "train or val");
        TokenShard shard = TokenShard::open(folder / plainName(text(entry, "file", file), file));
        if (shard.tokens() != count(entry, "tokens", file))
            fail(shard.path(), "token count", std::to_string(shard.tokens()), std::to_string(count(entry, "tokens", file)) + " as data.json says");
        if (std::uint64_t(shard.width()) != width)
            fail(shard.path(), "width", std::to_string(shard.width()), std::to_string(width) + " as data.json says");
        (part == "train" ? train : validation).push_back(std::move(shard));
    }
    data.m_train = TokenStream(std::move(train));
    data.m_validation = TokenStream(std::move(validation));
    const Json& tokens = member(json, "tokens", file);
    if (count(tokens, "train", file) != data.m_train.tokens() || count(tokens, "val", file) != data.m_validation.tokens())
        fail(file, "tokens", dumpLine(tokens), std::to_string(data.m_train.tokens()) + " and " + std::to_string(data.m_validation.tokens()) + ", the sums over the shards");
    return data;
}

std::string PreparedData::hash() const { return m_description["hash"].get<std::string>(); }
std::uint32_t PreparedData::vocabulary() const { return m_description["vocab"].get<std::uint32_t>(); }
std::int64_t PreparedData::endOfDocument() const { return m_description["end_of_document"].get<std::int64_t>(); }

std::unique_ptr<Tokenizer> PreparedData::tokenizer() const
{
    const fs::path file = m_folder / kDescription;
    if (member(m_description, "tokenizer", file).is_null())
        return nullptr;
    const std::string name = text(m_description, "tokenizer_file", file);
    const std::string fingerprint = text(m_description, "tokenizer_fingerprint", file);
    std::unique_ptr<Tokenizer> tokenizer = name.empty() ? std::make_unique<ByteTokenizer>() : loadTokenizer((m_folder / plainName(name, file)).string());
    if (tokenizer->fingerprint() != fingerprint)
        fail(m_folder / (name.empty() ? kDescription : name), "fingerprint of the tokenizer", tokenizer->fingerprint(), fingerprint + " as when the data was prepared");
    return tokenizer;
}

void PreparedData::verify() const
{
    const fs::path file = m_folder / kDescription;
    for (const Json& entry : m_description["shards"]) {
        const fs::path shard = m_folder / text(entry, "file", file);
        if (const std::string found = sha256OfFile(shard); found != text(entry, "sha256", file))
            fail(shard, "SHA-256", found, text(entry, "sha256", file) + " as data.json says");
    }
}

}  // namespace holo::data
