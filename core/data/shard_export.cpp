#include "core/data/shard_export.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/megatron_index.h"
#include "core/data/prepared_data.h"
#include "core/data/token_shard_writer.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBlock = 1u << 18;

class Source {
public:
    explicit Source(const ShardExport& options)
        : m_isValidation(options.part == "val")
    {
        std::error_code ec;
        if (fs::is_directory(options.source, ec)) {
            m_data = PreparedData::open(options.source);
            return;
        }
        std::vector<TokenShard> shards;
        shards.push_back(TokenShard::open(options.source, options.type));
        m_shard = TokenStream(std::move(shards));
    }

    const TokenStream& stream() const { return !m_data ? m_shard : m_isValidation ? m_data->validation() : m_data->train(); }
    int width() const { return m_data ? widthForVocabulary(m_data->vocabulary()) : m_shard.shards().front().width(); }
    std::int64_t endOfDocument() const { return m_data ? m_data->endOfDocument() : -1; }

private:
    bool m_isValidation;
    std::optional<PreparedData> m_data;
    TokenStream m_shard;
};

// Lengths of sequences while ids pass by.
class Sequences {
public:
    Sequences(std::uint64_t length, std::int64_t endOfDocument)
        : m_length(length)
        , m_end(endOfDocument)
    {
    }

    void add(std::span<const std::uint32_t> ids)
    {
        for (const std::uint32_t id : ids) {
            ++m_current;
            if (m_length > 0 ? std::uint64_t(m_current) == m_length : std::int64_t(id) == m_end || m_current == kLongest)
                close();
        }
    }
    const std::vector<std::int32_t>& finish()
    {
        if (m_current > 0)
            close();
        return m_lengths;
    }

private:
    static constexpr std::int32_t kLongest = 0x7FFFFFFF;

    void close()
    {
        m_lengths.push_back(m_current);
        m_current = 0;
    }

    std::uint64_t m_length;
    std::int64_t m_end;
    std::int32_t m_current = 0;
    std::vector<std::int32_t> m_lengths;
};

}  // namespace

Json exportShards(const ShardExport& options)
{
    const bool megatron = options.format == "megatron";
    const fs::path index = fs::path(options.destination).replace_extension(".idx");
    if (megatron && options.destination.extension() != ".bin")
        throw Error::at(ErrorKind::Usage, {options.destination.string(), "--out", options.destination.extension().string(), "a name that ends with .bin; the index goes beside it as .idx"});
    if (options.sequence != 0 && (!megatron || options.sequence > 0x7FFFFFFF))
        throw Error::at(ErrorKind::Usage, {"", "--sequence", std::to_string(options.sequence), megatron ? "at most 2147483647" : "none but with --as megatron"});
    std::error_code ec;
    for (const fs::path& file : {options.destination, index})
        if (fs::exists(file, ec) && (megatron || file == options.destination))
            throw Error::at(ErrorKind::Usage, {file.string(), "--out", "there already", "a new file"});
    const Source source(options);
    const TokenStream& stream = source.stream();
    if (options.destination.has_parent_path())
        fs::create_directories(options.destination.parent_path(), ec);

    TokenShardWriter writer(options.destination, source.width(), options.format == "llm.c" ? ShardFormat::LlmC : ShardFormat::Raw);
    Sequences sequences(options.sequence, source.endOfDocument());
    std::vector<std::uint32_t> block(std::size_t(std::min(kBlock, stream.tokens())));
    for (std::uint64_t at = 0; at < stream.tokens(); at += kBlock) {
        const std::span<std::uint32_t> ids(block.data(), std::size_t(std::min(kBlock, stream.tokens() - at)));
        stream.read(at, ids.size(), ids.data());
        writer.append(ids);
        if (megatron)
            sequences.add(ids);
    }
    Json document = {{"format", 1}, {"as", options.format}, {"files", {options.destination.string()}}, {"tokens", writer.tokens()}, {"width", source.width()}};
    if (megatron) {
        document["files"].push_back(index.string());
        document["sequences"] = sequences.finish().size();
    }
    writer.finish();
    // Last, so that an index that is there stands for a whole pair.
    if (megatron) {
        try {
            writeMegatronIndex(index, source.width(), sequences.finish());
        } catch (...) {
            fs::remove(options.destination, ec);
            throw;
        }
    }
    return document;
}

}  // namespace holo::data
