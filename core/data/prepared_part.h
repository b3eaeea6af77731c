#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/data/token_shard_writer.h"

namespace holo::data {

// One part of prepared data while it is written: shards PREFIX_000000.bin, … of at most `shardTokens` ids each.
class PreparedPart {
public:
    PreparedPart(std::filesystem::path folder, std::string prefix, int width, std::uint64_t shardTokens);

    void append(std::span<const std::uint32_t> ids);
    void finish();  // closes the shard being written

    // What is written so far, after it was synced; and going on from there, in a folder where files may be newer than that. False, and nothing is
    // changed, if they are not what the state says.
    Json checkpoint();
    bool restore(const Json& state);

    // After finish(): takes the last `count` ids off and appends them to `other`.
    void moveTail(std::uint64_t count, PreparedPart& other);
    // After finish() of both: becomes what `other` was, under its own names; `other` is empty then.
    void takeAll(PreparedPart& other);

    std::uint64_t tokens() const { return m_tokens; }
    std::uint32_t largestId() const { return m_largest; }
    std::uint64_t documents = 0;

    // [{file, part, tokens, bytes, sha256}]
    Json describe() const;

private:
    std::filesystem::path shardFile(std::size_t index) const;

    std::filesystem::path m_folder;
    std::string m_prefix;
    int m_width;
    std::uint64_t m_shardTokens;
    std::unique_ptr<TokenShardWriter> m_writer;
    std::vector<std::uint64_t> m_shards;  // ids of each finished shard
    std::uint64_t m_tokens = 0;
    std::uint32_t m_largest = 0;
};

}  // namespace holo::data
