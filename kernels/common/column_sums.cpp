#include "kernels/common/column_sums.h"

#include <algorithm>
#include <array>

namespace holo::kernels {

namespace {

constexpr std::int64_t kBlock = 64;  // columns whose sums stay in registers and first-level cache

}  // namespace

void addChunks(const std::vector<float>& partial, std::int64_t chunks, std::int64_t columns, float* sums, const ParallelFor& parallelFor)
{
    const std::int64_t blocks = (columns + kBlock - 1) / kBlock;
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / (kBlock * std::max<std::int64_t>(1, chunks)));
    parallelFor(blocks, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t first = block * kBlock;
            const std::int64_t count = std::min(kBlock, columns - first);
            std::array<double, kBlock> total{};
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
                const float* row = partial.data() + chunk * columns + first;
                for (std::int64_t c = 0; c < count; ++c)
                    total[std::size_t(c)] += row[c];
            }
            for (std::int64_t c = 0; c < count; ++c)
                sums[first + c] = static_cast<float>(total[std::size_t(c)]);
        }
    });
}

}  // namespace holo::kernels
