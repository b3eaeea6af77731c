#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holo::data {

// Merge table of a BPE tokenizer: pair of ids → rank and the id of their union. Open addressing, built once.
class BpeMerges {
public:
    void reserve(std::size_t pairs);
    // False if the pair is there already.
    bool add(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t merged);

    // Replaces neighbours by their union, lowest rank first and leftmost among equals, until none can be merged.
    void apply(std::vector<std::uint32_t>& ids) const;

private:
    struct Entry {
        std::uint64_t pair = ~std::uint64_t(0);
        std::uint32_t rank = 0;
        std::uint32_t merged = 0;
    };
    const Entry* find(std::uint32_t left, std::uint32_t right) const;
    void applyShort(std::vector<std::uint32_t>& ids) const;
    void applyLong(std::vector<std::uint32_t>& ids) const;

    std::vector<Entry> m_entries;
};

}  // namespace holo::data
