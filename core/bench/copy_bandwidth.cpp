#include "core/bench/copy_bandwidth.h"

#include <cstring>

#include <ATen/Parallel.h>

namespace holo::bench {

namespace {

constexpr std::int64_t kGrain = 1 << 18;

typedef std::uint64_t Lane __attribute__((vector_size(32), aligned(8), may_alias));

template <class Copy>
void inParts(void* to, const void* from, std::int64_t bytes, const Copy& copy)
{
    at::parallel_for(0, bytes, kGrain, [&](std::int64_t begin, std::int64_t end) {
        copy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
    });
}

}  // namespace

void copyBytes(void* to, const void* from, std::int64_t bytes)
{
    inParts(to, from, bytes, [](char* a, const char* b, std::int64_t count) { std::memcpy(a, b, std::size_t(count)); });
}

void copyLoop(void* to, const void* from, std::int64_t bytes)
{
    inParts(to, from, bytes, [](char* a, const char* b, std::int64_t count) {
        std::int64_t i = 0;
        for (; i + 128 <= count; i += 128)
            for (int part = 0; part < 4; ++part)
                *reinterpret_cast<Lane*>(a + i + 32 * part) = *reinterpret_cast<const Lane*>(b + i + 32 * part);
        std::memcpy(a + i, b + i, std::size_t(count - i));
    });
}

}  // namespace holo::bench
