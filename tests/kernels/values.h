#pragma once

#include "core/base/random.h"
#include "kernels/common/half.h"
#include "kernels/common/parallel_for.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// Buffers and cuts shared by the kernel tests.
namespace holo::kernels::test {

inline std::vector<float> normals(std::size_t count, std::uint64_t seed, std::string_view purpose, double scale = 1)
{
    RandomStream random(seed, purpose);
    std::vector<float> values(count);
    for (float& value : values)
        value = float(scale * random.normal());
    return values;
}

template <typename T>
std::vector<T> stored(const std::vector<float>& values)
{
    std::vector<T> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (sizeof(T) == 8)
            result[i] = T(values[i]);
        else
            fromFloat(values[i], result[i]);
    }
    return result;
}

// Cuts a range into single items and runs them from the last to the first, as the unkindest pool would.
inline void backwardsFor(std::int64_t count, std::int64_t, const ParallelBody& body)
{
    for (std::int64_t i = count; i-- > 0;)
        body(i, i + 1);
}

// Three uneven pieces.
inline void thirdsFor(std::int64_t count, std::int64_t, const ParallelBody& body)
{
    const std::int64_t a = count / 7, b = count / 2;
    for (const auto& [begin, end] : {std::pair{a, b}, std::pair{b, count}, std::pair{std::int64_t(0), a}}) {
        if (begin < end)
            body(begin, end);
    }
}

}  // namespace holo::kernels::test
