#include "core/data/bpe_merges.h"

#include <bit>
#include <limits>
#include <queue>

namespace holo::data {

namespace {

constexpr std::size_t kShortWord = 48;
constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

std::uint64_t pairOf(std::uint32_t left, std::uint32_t right) { return std::uint64_t(left) << 32 | right; }

std::uint64_t mixed(std::uint64_t pair)
{
    pair ^= pair >> 32;
    pair *= 0x9E3779B97F4A7C15ull;
    return pair ^ pair >> 29;
}

}  // namespace

void BpeMerges::reserve(std::size_t pairs) { m_entries.assign(std::bit_ceil(2 * pairs + 2), Entry()); }

bool BpeMerges::add(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t merged)
{
    const std::uint64_t pair = pairOf(left, right);
    for (std::uint64_t at = mixed(pair);; ++at) {
        Entry& entry = m_entries[at & (m_entries.size() - 1)];
        if (entry.pair == pair)
            return false;
        if (entry.pair == ~std::uint64_t(0)) {
            entry = {pair, rank, merged};
            return true;
        }
    }
}

const BpeMerges::Entry* BpeMerges::find(std::uint32_t left, std::uint32_t right) const
{
    const std::uint64_t pair = pairOf(left, right);
    for (std::uint64_t at = mixed(pair);; ++at) {
        const Entry& entry = m_entries[at & (m_entries.size() - 1)];
        if (entry.pair == pair)
            return &entry;
        if (entry.pair == ~std::uint64_t(0))
            return nullptr;
    }
}

void BpeMerges::apply(std::vector<std::uint32_t>& ids) const
{
    if (m_entries.empty() || ids.size() < 2)
        return;
    if (ids.size() <= kShortWord)
        applyShort(ids);
    else
        applyLong(ids);
}

void BpeMerges::applyShort(std::vector<std::uint32_t>& ids) const
{
    const Entry* pairs[kShortWord];
    std::size_t count = ids.size();
    for (std::size_t i = 0; i + 1 < count; ++i)
        pairs[i] = find(ids[i], ids[i + 1]);
    for (;;) {
        std::size_t best = count;
        std::uint32_t rank = kNoRank;
        for (std::size_t i = 0; i + 1 < count; ++i)
            if (pairs[i] && pairs[i]->rank < rank) {
                rank = pairs[i]->rank;
                best = i;
            }
        if (best == count)
            break;
        ids[best] = pairs[best]->merged;
        for (std::size_t i = best + 1; i + 1 < count; ++i) {
            ids[i] = ids[i + 1];
            pairs[i] = i + 2 < count ? pairs[i + 1] : nullptr;
        }
        --count;
        if (best > 0)
            pairs[best - 1] = find(ids[best - 1], ids[best]);
        if (best + 1 < count)
            pairs[best] = find(ids[best], ids[best + 1]);
    }
    ids.resize(count);
}

void BpeMerges::applyLong(std::vector<std::uint32_t>& ids) const
{
    struct Candidate {
        std::uint32_t rank;
        std::uint32_t at;
        std::uint64_t pair;   // to tell whether it still stands
        std::uint32_t merged;
        bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
    };
    constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
    const auto count = std::uint32_t(ids.size());
    std::vector<std::uint32_t> next(count);
    std::vector<std::uint32_t> before(count);
    std::vector<bool> gone(count, false);
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::uint32_t at) {
        if (at == kEnd || next[at] == kEnd)
            return;
        if (const Entry* entry = find(ids[at], ids[next[at]]))
            queue.push({entry->rank, at, entry->pair, entry->merged});
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        next[i] = i + 1 < count ? i + 1 : kEnd;
        before[i] = i > 0 ? i - 1 : kEnd;
    }
    for (std::uint32_t i = 0; i < count; ++i)
        offer(i);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        if (gone[best.at] || next[best.at] == kEnd || pairOf(ids[best.at], ids[next[best.at]]) != best.pair)
            continue;
        const std::uint32_t right = next[best.at];
        ids[best.at] = best.merged;
        gone[right] = true;
        next[best.at] = next[right];
        if (next[right] != kEnd)
            before[next[right]] = best.at;
        offer(before[best.at]);
        offer(best.at);
    }
    std::size_t out = 0;
    for (std::uint32_t i = 0; i != kEnd; i = next[i])
        ids[out++] = ids[i];
    ids.resize(out);
}

}  // namespace holo::data
