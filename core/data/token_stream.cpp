#include "core/data/token_stream.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace holo::data {

TokenStream::TokenStream(std::vector<TokenShard> shards)
    : m_shards(std::move(shards))
    , m_starts{0}
{
    for (const TokenShard& shard : m_shards)
        m_starts.push_back(m_starts.back() + shard.tokens());
}

void TokenStream::read(std::uint64_t offset, std::uint64_t count, std::uint32_t* out) const
{
    if (offset > tokens() || count > tokens() - offset)
        throw Error::at(ErrorKind::Internal, {"", "place of a read", std::to_string(offset) + " + " + std::to_string(count), "up to " + std::to_string(tokens())});
    if (count == 0)
        return;
    auto shard = std::size_t(std::upper_bound(m_starts.begin(), m_starts.end(), offset) - m_starts.begin() - 1);
    while (count > 0) {
        const std::uint64_t part = std::min(count, m_starts[shard + 1] - offset);
        m_shards[shard].read(offset - m_starts[shard], part, out);
        out += part;
        offset += part;
        count -= part;
        ++shard;
    }
}

}  // namespace holo::data
