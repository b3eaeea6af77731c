#pragma once

#include <cstdint>
#include <vector>

#include "core/data/token_shard.h"

namespace holo::data {

// Shards read as one sequence of ids.
class TokenStream {
public:
    TokenStream() = default;
    explicit TokenStream(std::vector<TokenShard> shards);

    const std::vector<TokenShard>& shards() const { return m_shards; }
    std::uint64_t tokens() const { return m_starts.empty() ? 0 : m_starts.back(); }
    // `count` ids from place `offset` on, across shard ends. May be called from several threads.
    void read(std::uint64_t offset, std::uint64_t count, std::uint32_t* out) const;

private:
    std::vector<TokenShard> m_shards;
    std::vector<std::uint64_t> m_starts;  // of each shard, and the end
};

}  // namespace holo::data
