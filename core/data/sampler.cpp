#include "core/base/error.h"
#include "core/base/random.h"
#include "core/data/corpus.h"

namespace holo::data {

namespace {

// Round function of the Feistel network: a Philox word of (half, round) under the key of (seed, epoch).
std::uint32_t roundWord(std::uint32_t half, std::uint32_t round, const std::array<std::uint32_t, 2>& key, const std::array<std::uint32_t, 2>& high)
{
    return philox({half, round, high[0], high[1]}, key)[0];
}

}  // namespace

Sampler::Sampler(std::int64_t windows, std::uint64_t seed)
    : m_windows(windows)
    , m_seed(seed)
{
    if (windows < 1)
        throw Error::at(ErrorKind::Usage, {.field = "windows", .found = std::to_string(windows), .allowed = "1 or more"});
}

std::int64_t Sampler::at(std::int64_t position) const
{
    if (position < 0)
        throw Error::at(ErrorKind::Usage, {.field = "position", .found = std::to_string(position), .allowed = "0 or more"});
    int halfBits = 1;
    while (halfBits < 31 && (std::uint64_t(1) << (2 * halfBits)) < std::uint64_t(m_windows))
        ++halfBits;
    const std::uint64_t mask = (std::uint64_t(1) << halfBits) - 1;

    RandomStream stream(m_seed, "data-order", {std::uint64_t(epoch(position))});
    const std::array<std::uint32_t, 2> key{stream.next32(), stream.next32()};
    const std::array<std::uint32_t, 2> high{stream.next32(), stream.next32()};

    std::uint64_t value = std::uint64_t(position % m_windows);
    do {  // values past the end walk on along their cycle until they fall inside: a bijection of 0 … windows−1
        std::uint64_t left = value >> halfBits;
        std::uint64_t right = value & mask;
        for (std::uint32_t round = 0; round < 8; ++round) {
            const std::uint64_t mixed = left ^ (roundWord(std::uint32_t(right), round, key, high) & mask);
            left = right;
            right = mixed;
        }
        value = left << halfBits | right;
    } while (value >= std::uint64_t(m_windows));
    return std::int64_t(value);
}

}  // namespace holo::data
