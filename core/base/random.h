#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <string_view>

namespace holo {

// Philox4x32-10 (Salmon et al., SC 2011): a pure function of key and counter, so any position of a stream is reached without replay.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t(0xD2511F53u) * counter[0];
        const std::uint64_t p1 = std::uint64_t(0xCD9E8D57u) * counter[2];
        counter = {std::uint32_t(p1 >> 32) ^ counter[1] ^ key[0], std::uint32_t(p1), std::uint32_t(p0 >> 32) ^ counter[3] ^ key[1], std::uint32_t(p0)};
        key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
    }
    return counter;
}

// A named random stream. Streams are told apart by (seed, purpose, indices) through a hash, never by adding offsets,
// so that arms share their initialisation and data order and no two purposes ever meet. Values do not depend on the platform.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::string_view purpose, std::initializer_list<std::uint64_t> indices = {})
    {
        std::uint64_t h = mix(seed + 0x9E3779B97F4A7C15ull);
        for (const char c : purpose)
            h = mix(h ^ static_cast<unsigned char>(c));
        h = mix(h ^ 0xA5A5A5A5A5A5A5A5ull);
        std::uint64_t g = mix(h);
        for (const std::uint64_t index : indices) {
            h = mix(h ^ mix(index));
            g = mix(g + h);
        }
        m_key = {std::uint32_t(h), std::uint32_t(h >> 32)};
        m_high = {std::uint32_t(g), std::uint32_t(g >> 32)};
    }

    // Moves to the `position`-th 32-bit word of the stream.
    void seek(std::uint64_t position)
    {
        m_block = position / 4;
        m_used = int(position % 4);
        m_words = philox({std::uint32_t(m_block), std::uint32_t(m_block >> 32), m_high[0], m_high[1]}, m_key);
        ++m_block;
    }

    std::uint32_t next32()
    {
        if (m_used == 4) {
            m_words = philox({std::uint32_t(m_block), std::uint32_t(m_block >> 32), m_high[0], m_high[1]}, m_key);
            ++m_block;
            m_used = 0;
        }
        return m_words[std::size_t(m_used++)];
    }

    std::uint64_t next64()
    {
        const std::uint64_t low = next32();
        return low | std::uint64_t(next32()) << 32;
    }

    // Uniform in [0, 1), 53 bits.
    double uniform() { return double(next64() >> 11) * 0x1p-53; }

    // Uniform in 0 … n−1, n >= 1, without modulo bias (Lemire's multiply-and-reject).
    std::uint64_t below(std::uint64_t n)
    {
        for (;;) {
            const Wide product = Wide(next64()) * n;
            if (static_cast<std::uint64_t>(product) >= (0 - n) % n)
                return static_cast<std::uint64_t>(product >> 64);
        }
    }

    // Standard normal (Box–Muller, both values used).
    double normal()
    {
        if (m_hasSpare) {
            m_hasSpare = false;
            return m_spare;
        }
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        const double angle = 2.0 * std::numbers::pi * uniform();
        m_spare = radius * std::sin(angle);
        m_hasSpare = true;
        return radius * std::cos(angle);
    }

private:
    __extension__ using Wide = unsigned __int128;

    static std::uint64_t mix(std::uint64_t x)  // finaliser of SplitMix64
    {
        x ^= x >> 30;
        x *= 0xBF58476D1CE4E5B9ull;
        x ^= x >> 27;
        x *= 0x94D049BB133111EBull;
        return x ^ (x >> 31);
    }

    std::array<std::uint32_t, 2> m_key{};
    std::array<std::uint32_t, 2> m_high{};
    std::array<std::uint32_t, 4> m_words{};
    std::uint64_t m_block = 0;
    int m_used = 4;
    double m_spare = 0;
    bool m_hasSpare = false;
};

}  // namespace holo
