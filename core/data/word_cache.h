#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace holo::data {

// Ids of words seen lately. Fixed room, newer words push older ones out; words or results that are too long are not kept.
class WordCache {
public:
    WordCache()
        : m_slots(kSlots)
    {
    }

    static std::uint64_t hash(std::string_view word)
    {
        std::uint64_t h = 0xCBF29CE484222325ull ^ word.size();
        while (word.size() >= 8) {
            std::uint64_t part;
            std::memcpy(&part, word.data(), 8);
            h = (h ^ part) * 0x9E3779B97F4A7C15ull;
            h ^= h >> 32;
            word.remove_prefix(8);
        }
        std::uint64_t part = 0;
        std::memcpy(&part, word.data(), word.size());
        h = (h ^ part) * 0x9E3779B97F4A7C15ull;
        return h ^ h >> 32;
    }

    // Empty if the word is not there.
    std::span<const std::uint32_t> find(std::string_view word, std::uint64_t h) const
    {
        const Slot& slot = m_slots[h % kSlots];
        if (slot.count == 0 || slot.length != word.size() || std::memcmp(slot.word.data(), word.data(), word.size()) != 0)
            return {};
        return {slot.ids.data(), slot.count};
    }

    void keep(std::string_view word, std::uint64_t h, std::span<const std::uint32_t> ids)
    {
        Slot& slot = m_slots[h % kSlots];
        if (word.size() > slot.word.size() || ids.size() > slot.ids.size())
            return;
        slot.length = static_cast<unsigned char>(word.size());
        slot.count = static_cast<unsigned char>(ids.size());
        std::memcpy(slot.word.data(), word.data(), word.size());
        std::memcpy(slot.ids.data(), ids.data(), ids.size_bytes());
    }

private:
    static constexpr std::size_t kSlots = 1u << 16;
    struct Slot {
        std::array<std::uint32_t, 8> ids{};
        std::array<char, 30> word{};
        unsigned char length = 0;
        unsigned char count = 0;
    };
    std::vector<Slot> m_slots;
};

}  // namespace holo::data
