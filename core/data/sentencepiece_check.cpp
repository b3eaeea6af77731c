#include "core/data/sentencepiece_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/protobuf.h"

namespace holo::data {

namespace {

constexpr std::size_t kLargestTable = 4u << 20;
constexpr int kDeepestKey = 256;
constexpr int kMostMatches = 32;  // room that the library has for the matches of one prefix search

// Units of a double array as github.com/s-yata/darts-clone lays them out.
bool hasLeaf(std::uint32_t unit) { return unit >> 8 & 1; }
std::uint32_t valueOf(std::uint32_t unit) { return unit & 0x7FFFFFFFu; }
std::uint32_t labelOf(std::uint32_t unit) { return unit & 0x800000FFu; }
std::uint32_t offsetOf(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

class TrieCheck {
public:
    TrieCheck(std::string_view units, std::string_view strings)
        : m_units(units.size() / 4)
        , m_strings(strings)
        , m_matches(m_units.size(), kUnknown)
    {
        std::memcpy(m_units.data(), units.data(), 4 * m_units.size());
    }

    // Every place that any key can reach lies inside, no key matches endlessly, every value points at a string.
    bool isSound() { return !m_units.empty() && matchesBelow(offsetOf(m_units[0]), 0) >= 0; }

private:
    static constexpr int kUnknown = -2;
    static constexpr int kOpen = -3;

    // Most matches on a way down from this state; −1 if something is wrong below it.
    int matchesBelow(std::uint32_t state, int depth)
    {
        if (depth > kDeepestKey || (state | 0xFFu) >= m_units.size())
            return -1;
        if (m_matches[state] == kOpen)
            return -1;
        if (m_matches[state] != kUnknown)
            return m_matches[state];
        m_matches[state] = kOpen;
        int most = 0;
        for (std::uint32_t byte = 0; byte < 256 && most >= 0; ++byte) {
            const std::uint32_t place = state ^ byte;
            const std::uint32_t unit = m_units[place];
            if (labelOf(unit) != byte)
                continue;
            const std::uint32_t next = place ^ offsetOf(unit);
            int matches = matchesBelow(next, depth + 1);
            if (matches >= 0 && hasLeaf(unit))
                matches = valueOf(m_units[next]) < m_strings.size() ? matches + 1 : -1;
            most = matches < 0 || matches > kMostMatches ? -1 : std::max(most, matches);
        }
        return m_matches[state] = most;
    }

    std::vector<std::uint32_t> m_units;
    std::string_view m_strings;
    std::vector<int> m_matches;
};

bool isSoundTable(std::string_view table)
{
    if (table.empty())
        return true;
    std::uint32_t size = 0;
    if (table.size() < sizeof size || table.size() > kLargestTable)
        return false;
    std::memcpy(&size, table.data(), sizeof size);
    table.remove_prefix(sizeof size);
    if (size % 4 != 0 || size >= table.size() || table.back() != '\0')
        return false;
    return TrieCheck(table.substr(0, size), table.substr(size)).isSound();
}

}  // namespace

std::string sentencePieceFault(std::string_view model)
{
    enum ModelField { kPiece = 1, kNormalizer = 3, kDenormalizer = 5 };
    constexpr int kScore = 2;
    constexpr int kCharsMap = 2;
    bool broken = false;
    while (const auto field = takeField(model, broken)) {
        if (field->type != 2)
            continue;
        std::string_view inner = field->bytes;
        if (field->number == kPiece) {
            while (const auto part = takeField(inner, broken))
                if (part->number == kScore && part->type == 5 && !std::isfinite(part->asFloat()))
                    return "a piece whose score is not finite";
        } else if (field->number == kNormalizer || field->number == kDenormalizer) {
            while (const auto part = takeField(inner, broken))
                if (part->number == kCharsMap && part->type == 2 && !isSoundTable(part->bytes))
                    return "a normalisation table that points outside itself";
        }
    }
    return broken ? "no message of the model's format" : "";
}

}  // namespace holo::data
