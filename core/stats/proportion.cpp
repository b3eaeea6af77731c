#include "core/stats/proportion.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/stats/descriptive.h"

namespace holo::stats {

Interval wilson(std::int64_t k, std::int64_t n, double z)
{
    if (n < 0 || k < 0 || k > n)
        throw Error(ErrorKind::Usage, "Wilson interval: " + std::to_string(k) + " of " + std::to_string(n) + " is no share; allowed: 0 <= k <= n.");
    if (n == 0)
        return {0, 1};
    const double count = double(n);
    const double share = double(k) / count;
    const double scale = 1 + z * z / count;
    const double centre = (share + z * z / (2 * count)) / scale;
    const double half = z / scale * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    return {k == 0 ? 0 : std::max(0.0, centre - half), k == n ? 1 : std::min(1.0, centre + half)};
}

LearnedShare learnedShare(std::span<const double> values, double floor, bool lowerIsBetter)
{
    LearnedShare result;
    result.floor = floor;
    const auto finite = finiteSorted(values);
    result.n = int(finite.size());
    result.k = int(std::count_if(finite.begin(), finite.end(), [&](double value) { return lowerIsBetter ? value <= floor : value >= floor; }));
    if (result.n > 0)
        result.wilson = wilson(*result.k, result.n);
    return result;
}

}  // namespace holo::stats
