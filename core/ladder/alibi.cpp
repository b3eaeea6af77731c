#include "core/ladder/alibi.h"

#include <bit>
#include <cmath>

namespace holo::ladder {

std::vector<double> alibiPlainSlopes(int heads)
{
    std::vector<double> slopes;
    for (int h = 1; h <= heads; ++h)
        slopes.push_back(std::exp2(-8.0 * h / heads));
    return slopes;
}

std::vector<double> alibiSlopes(int heads)
{
    const int below = int(std::bit_floor(unsigned(heads)));
    std::vector<double> slopes = alibiPlainSlopes(below);
    const std::vector<double> finer = alibiPlainSlopes(2 * below);
    for (int h = below; h < heads; ++h)
        slopes.push_back(finer[std::size_t(2 * (h - below))]);
    return slopes;
}

}  // namespace holo::ladder
