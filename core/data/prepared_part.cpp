#include "core/data/prepared_part.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/token_shard.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBlock = 1u << 18;

void copyIds(const TokenShard& from, std::uint64_t offset, std::uint64_t count, const auto& sink)
{
    std::vector<std::uint32_t> block(std::size_t(std::min(count, kBlock)));
    for (std::uint64_t done = 0; done < count; done += kBlock) {
        const std::uint64_t part = std::min(kBlock, count - done);
        from.read(offset + done, part, block.data());
        sink(std::span<const std::uint32_t>(block.data(), std::size_t(part)));
    }
}

}  // namespace

PreparedPart::PreparedPart(fs::path folder, std::string prefix, int width, std::uint64_t shardTokens)
    : m_folder(std::move(folder))
    , m_prefix(std::move(prefix))
    , m_width(width)
    , m_shardTokens(std::clamp<std::uint64_t>(shardTokens, 1, TokenShardWriter::kMaxTokens))
{
}

fs::path PreparedPart::shardFile(std::size_t index) const
{
    const std::string number = std::to_string(index);
    return m_folder / (m_prefix + "_" + std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number + ".bin");
}

void PreparedPart::append(std::span<const std::uint32_t> ids)
{
    while (!ids.empty()) {
        if (!m_writer)
            m_writer = std::make_unique<TokenShardWriter>(shardFile(m_shards.size()), m_width);
        const std::span<const std::uint32_t> fits = ids.first(std::size_t(std::min<std::uint64_t>(ids.size(), m_shardTokens - m_writer->tokens())));
        m_writer->append(fits);
        m_tokens += fits.size();
        m_largest = std::max(m_largest, m_writer->largestId());
        ids = ids.subspan(fits.size());
        if (m_writer->tokens() == m_shardTokens)
            finish();
    }
}

void PreparedPart::finish()
{
    if (!m_writer)
        return;
    m_writer->finish();
    m_shards.push_back(m_writer->tokens());
    m_writer.reset();
}

Json PreparedPart::checkpoint()
{
    Json open;
    if (m_writer) {
        const TokenShardWriter::Unfinished state = m_writer->checkpoint();
        open = {{"file", fs::path(state.temporary).filename().string()}, {"tokens", state.tokens}, {"largest_id", state.largestId}};
    }
    return {{"shards", m_shards}, {"open", open}, {"tokens", m_tokens}, {"largest_id", m_largest}, {"documents", documents}};
}

bool PreparedPart::restore(const Json& state)
{
    try {
        const auto shards = state.at("shards").get<std::vector<std::uint64_t>>();
        for (std::size_t i = 0; i < shards.size(); ++i)
            if (const TokenShard shard = TokenShard::open(shardFile(i)); shard.tokens() != shards[i] || shard.width() != m_width)
                return false;
        std::unique_ptr<TokenShardWriter> writer;
        if (const Json& open = state.at("open"); !open.is_null()) {
            const TokenShardWriter::Unfinished unfinished{(m_folder / open.at("file").get<std::string>()).string(), open.at("tokens"), open.at("largest_id")};
            std::error_code ec;
            if (!fs::exists(unfinished.temporary, ec))
                fs::rename(shardFile(shards.size()), unfinished.temporary, ec);  // it was finished after the state was taken
            writer = std::make_unique<TokenShardWriter>(shardFile(shards.size()), m_width, ShardFormat::LlmC, unfinished);
        }
        const auto tokens = state.at("tokens").get<std::uint64_t>();
        const auto largest = state.at("largest_id").get<std::uint32_t>();
        documents = state.at("documents");
        m_writer = std::move(writer);
        m_shards = shards;
        m_tokens = tokens;
        m_largest = largest;
        return true;
    } catch (const Error&) {
        return false;
    } catch (const Json::exception&) {
        return false;
    }
}

void PreparedPart::moveTail(std::uint64_t count, PreparedPart& other)
{
    std::uint64_t keep = m_tokens - std::min(count, m_tokens);
    m_tokens = keep;
    std::vector<std::uint64_t> kept;
    for (std::size_t i = 0; i < m_shards.size(); ++i) {
        const std::uint64_t here = std::min(keep, m_shards[i]);
        keep -= here;
        if (here == m_shards[i]) {
            kept.push_back(here);
            continue;
        }
        const TokenShard shard = TokenShard::open(shardFile(i));
        copyIds(shard, here, m_shards[i] - here, [&](auto ids) { other.append(ids); });
        if (here == 0) {
            fs::remove(shardFile(i));
            continue;
        }
        TokenShardWriter shorter(shardFile(i), m_width);
        copyIds(shard, 0, here, [&](auto ids) { shorter.append(ids); });
        shorter.finish();
        kept.push_back(here);
    }
    m_shards = std::move(kept);
}

void PreparedPart::takeAll(PreparedPart& other)
{
    for (std::size_t i = 0; i < other.m_shards.size(); ++i)
        fs::rename(other.shardFile(i), shardFile(i));
    m_shards = std::exchange(other.m_shards, {});
    m_tokens = std::exchange(other.m_tokens, 0);
    m_largest = std::exchange(other.m_largest, 0);
    documents = std::exchange(other.documents, 0);
}

Json PreparedPart::describe() const
{
    Json list = Json::array();
    for (std::size_t i = 0; i < m_shards.size(); ++i) {
        const fs::path file = shardFile(i);
        list.push_back({{"file", file.filename().string()}, {"part", m_prefix}, {"tokens", m_shards[i]}, {"bytes", fs::file_size(file)}, {"sha256", sha256OfFile(file)}});
    }
    return list;
}

}  // namespace holo::data
