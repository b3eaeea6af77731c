#include "core/stats/humps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/stats/descriptive.h"

namespace holo::stats {

namespace {

// Chance that the largest of n−1 uniform spacings takes a share of at least x. Beyond 60 scores the alternating sum loses its digits;
// its first term, which bounds it from above, stands in.
double largestSpacingAbove(double x, int n)
{
    long double sum = 0;
    long double coefficient = 1;
    const int spacings = n - 1;
    const long double first = spacings * std::pow(static_cast<long double>(1) - x, static_cast<long double>(n - 2));
    if (n > 60)
        return double(std::min(1.0L, first));
    for (int j = 1; j <= spacings && 1 - j * x > 0; ++j) {
        coefficient *= static_cast<long double>(spacings - j + 1) / j;
        const long double term = coefficient * std::pow(static_cast<long double>(1) - static_cast<long double>(j) * x, static_cast<long double>(n - 2));
        sum += j % 2 == 1 ? term : -term;
    }
    return std::clamp(double(sum), 0.0, 1.0);
}

// Pooled SD of the scores up to `at` and of those after it.
double withinSides(const std::vector<double>& sorted, std::size_t at)
{
    const auto squares = [](std::span<const double> side) {
        double mean = 0;
        for (const double v : side)
            mean += v / double(side.size());
        double sum = 0;
        for (const double v : side)
            sum += (v - mean) * (v - mean);
        return sum;
    };
    const std::span<const double> all(sorted);
    return std::sqrt((squares(all.first(at + 1)) + squares(all.subspan(at + 1))) / std::max(1.0, double(sorted.size()) - 2));
}

}  // namespace

HumpResult findHumps(std::span<const double> values, HumpRule rule)
{
    HumpResult result;
    const auto sorted = finiteSorted(values);
    const int n = int(sorted.size());
    if (n < 2)
        return result;
    std::size_t at = 0;
    for (std::size_t i = 1; i + 1 < sorted.size(); ++i)
        if (sorted[i + 1] - sorted[i] > sorted[at + 1] - sorted[at])
            at = i;
    const double range = sorted.back() - sorted.front();
    result.gap = sorted[at + 1] - sorted[at];
    result.below = sorted[at];
    result.above = sorted[at + 1];
    result.nBelow = int(at) + 1;
    result.nAbove = n - result.nBelow;
    if (range <= 0 || std::isinf(range) || n < rule.fewest)
        return result;
    result.gapShare = *result.gap / range;
    result.p = largestSpacingAbove(*result.gapShare, n);
    result.twoHumped = *result.gap >= rule.minGap && *result.p <= rule.maxP && *result.gap >= rule.minSeparation * withinSides(sorted, at);
    return result;
}

}  // namespace holo::stats
