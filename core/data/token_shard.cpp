#include "core/data/token_shard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/megatron_index.h"

namespace holo::data {

static_assert(std::endian::native == std::endian::little, "shards are little-endian and read as they lie");

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kHeaderBytes = 1024;
constexpr std::uint64_t kBlock = 1u << 18;  // ids read at a time

[[noreturn]] void fail(const fs::path& file, const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Malformed, {file.string(), field, found, allowed});
}

const char* typeName(TokenType type) { return type == TokenType::U16 ? "u16" : "u32"; }

struct Layout {
    ShardFormat format;
    int width;
    std::uint64_t start;
    std::uint64_t tokens;
};

std::optional<Layout> llmCLayout(const InputFile& file)
{
    std::array<std::int32_t, 3> header{};
    if (file.size() < sizeof header)
        return std::nullopt;
    file.read(0, sizeof header, header.data());
    const auto [magic, version, count] = header;
    if (magic == 20240522)
        throw Error::at(ErrorKind::Unsupported, {file.path().string(), "magic number", "20240522, an llm.c evaluation file", "20240520 or 20240801, llm.c token shards"});
    if (magic != 20240520 && magic != 20240801)
        return std::nullopt;
    const int known = magic == 20240520 ? 1 : 7;
    const std::uint64_t width = magic == 20240520 ? 2 : 4;
    if (version != known)
        throw Error::at(ErrorKind::Unsupported, {file.path().string(), "version", std::to_string(version), std::to_string(known)});
    if (count < 0)
        fail(file.path(), "token count of the header", std::to_string(count), "a count from 0");
    const std::uint64_t promised = kHeaderBytes + std::uint64_t(count) * width;
    if (file.size() != promised)
        fail(file.path(), "size", std::to_string(file.size()) + " bytes", std::to_string(promised) + ", since its header promises " + std::to_string(count) + " tokens");
    return Layout{ShardFormat::LlmC, int(width), kHeaderBytes, std::uint64_t(count)};
}

std::optional<Layout> numpyLayout(const InputFile& file)
{
    unsigned char start[10];
    if (file.size() < sizeof start)
        return std::nullopt;
    file.read(0, sizeof start, start);
    if (std::memcmp(start, "\x93NUMPY", 6) != 0)
        return std::nullopt;
    if (start[6] != 1)
        throw Error::at(ErrorKind::Unsupported, {file.path().string(), "version of the .npy format", std::to_string(start[6]), "1"});
    const std::uint64_t length = start[8] | std::uint64_t(start[9]) << 8;
    if (length > file.size() - 10)
        fail(file.path(), "header length", std::to_string(length), "at most " + std::to_string(file.size() - 10));
    std::string text(std::size_t(length), '\0');
    file.read(10, length, text.data());
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());

    const auto valueOf = [&](const std::string& key) -> std::string {
        const auto at = text.find("'" + key + "':");
        return at == std::string::npos ? std::string() : text.substr(at + key.size() + 3);
    };
    const std::string descr = valueOf("descr");
    const bool narrow = descr.starts_with("'<u2'");
    if (!narrow && !descr.starts_with("'<u4'") && !descr.starts_with("'<i4'"))
        throw Error::at(ErrorKind::Unsupported, {file.path().string(), "descr", descr.substr(0, descr.find(',')), "'<u2', '<u4' or '<i4'"});
    const std::string shape = valueOf("shape");
    const auto comma = shape.find(',');
    const auto count = shape.starts_with('(') && comma != std::string::npos ? parseInt(std::string_view(shape).substr(1, comma - 1)) : std::nullopt;
    if (!count || *count < 0 || shape.substr(comma + 1, 1) != ")")
        throw Error::at(ErrorKind::Unsupported, {file.path().string(), "shape", shape.substr(0, 40), "one dimension"});
    const std::uint64_t width = narrow ? 2 : 4;
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(std::uint64_t(*count), width, &bytes) || bytes != file.size() - 10 - length)
        fail(file.path(), "size", std::to_string(file.size()) + " bytes", "the size for " + std::to_string(*count) + " ids of " + std::to_string(width) + " bytes");
    return Layout{ShardFormat::NumPy, int(width), 10 + length, std::uint64_t(*count)};
}

std::optional<Layout> megatronLayout(const InputFile& file)
{
    fs::path index = file.path();
    index.replace_extension(".idx");
    std::error_code ec;
    if (file.path().extension() != ".bin" || !fs::exists(index, ec))
        return std::nullopt;
    const MegatronIndex found = readMegatronIndex(index, file.size());
    return Layout{ShardFormat::Megatron, found.width, 0, found.tokens};
}

}  // namespace

TokenType tokenTypeFromName(std::string_view name)
{
    if (name == "u16")
        return TokenType::U16;
    if (name == "u32")
        return TokenType::U32;
    throw Error::at(ErrorKind::Usage, {"", "type of the token ids", "\"" + std::string(name) + "\"", "u16 or u32"});
}

TokenShard TokenShard::open(const fs::path& path, TokenType type)
{
    fs::path data = path;
    if (path.extension() == ".idx")
        data.replace_extension(".bin");
    TokenShard shard(data);
    if (shard.m_file.size() == 0)
        fail(data, "size", "0 bytes", "a file of token ids");
    auto layout = llmCLayout(shard.m_file);
    if (!layout)
        layout = numpyLayout(shard.m_file);
    if (!layout)
        layout = megatronLayout(shard.m_file);
    if (!layout) {
        if (type == TokenType::Auto)
            throw Error::at(ErrorKind::Usage, {data.string(), "type of the token ids", "not stated by a header", "--type u16 or --type u32 for files without one"});
        const std::uint64_t width = type == TokenType::U16 ? 2 : 4;
        if (shard.m_file.size() % width != 0)
            fail(data, "size", std::to_string(shard.m_file.size()) + " bytes", "a multiple of " + std::to_string(width) + ", the bytes of an id");
        layout = Layout{ShardFormat::Raw, int(width), 0, shard.m_file.size() / width};
    } else if (type != TokenType::Auto && layout->width != (type == TokenType::U16 ? 2 : 4)) {
        throw Error::at(ErrorKind::Usage, {data.string(), "type of the token ids", std::string(typeName(type)) + " as asked, but its header says " + std::to_string(layout->width) + " bytes an id",
                                           "the type of the header"});
    }
    shard.m_format = layout->format;
    shard.m_width = layout->width;
    shard.m_start = layout->start;
    shard.m_tokens = layout->tokens;
    return shard;
}

void TokenShard::readStored(std::uint64_t offset, std::uint64_t count, void* out) const
{
    if (offset > m_tokens || count > m_tokens - offset)
        throw Error::at(ErrorKind::Internal, {path().string(), "place of a read", std::to_string(offset) + " + " + std::to_string(count), "up to " + std::to_string(m_tokens)});
    const auto width = std::uint64_t(m_width);
    m_file.read(m_start + offset * width, count * width, out);
    m_file.checkUnchanged();
}

void TokenShard::read(std::uint64_t offset, std::uint64_t count, std::uint32_t* out) const
{
    if (m_width == 4) {
        readStored(offset, count, out);
        return;
    }
    // The narrow ids go into the upper half of the room and are widened from the front, where they never overtake themselves.
    auto* narrow = reinterpret_cast<unsigned char*>(out) + 2 * count;
    readStored(offset, count, narrow);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint16_t id;
        std::memcpy(&id, narrow + 2 * i, 2);
        out[i] = id;
    }
}

void TokenShard::read(std::uint64_t offset, std::uint64_t count, std::int64_t* out) const
{
    std::vector<std::uint32_t> block(std::size_t(std::min(count, kBlock)));
    for (std::uint64_t done = 0; done < count; done += kBlock) {
        const std::uint64_t part = std::min(kBlock, count - done);
        read(offset + done, part, block.data());
        std::copy_n(block.begin(), part, out + done);
    }
}

std::uint32_t TokenShard::largestId() const
{
    std::uint32_t largest = 0;
    std::vector<std::uint32_t> block(std::size_t(std::min(m_tokens, kBlock)));
    for (std::uint64_t first = 0; first < m_tokens; first += kBlock) {
        const std::uint64_t count = std::min(kBlock, m_tokens - first);
        read(first, count, block.data());
        for (std::uint64_t i = 0; i < count; ++i)
            largest = std::max(largest, block[i]);
    }
    return largest;
}

void TokenShard::checkIds(std::uint64_t vocabulary) const
{
    std::vector<std::uint32_t> block(std::size_t(std::min(m_tokens, kBlock)));
    for (std::uint64_t first = 0; first < m_tokens; first += kBlock) {
        const std::uint64_t count = std::min(kBlock, m_tokens - first);
        read(first, count, block.data());
        for (std::uint64_t i = 0; i < count; ++i)
            if (block[i] >= vocabulary)
                fail(path(), "token " + std::to_string(first + i), "id " + std::to_string(block[i]), "ids below " + std::to_string(vocabulary) + ", the vocabulary");
    }
}

}  // namespace holo::data
