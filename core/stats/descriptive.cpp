#include "core/stats/descriptive.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace holo::stats {

namespace {

// Sums about the smallest value, so that identical values have a mean without rounding and huge ones do not overflow.
long double meanOfSorted(std::span<const double> sorted)
{
    const long double origin = sorted.front();
    long double sum = 0;
    for (const double value : sorted)
        sum += value - origin;
    return origin + sum / static_cast<long double>(sorted.size());
}

double medianOfSorted(std::span<const double> sorted)
{
    const std::size_t half = sorted.size() / 2;
    if (sorted.size() % 2 == 1)
        return sorted[half];
    const double sum = sorted[half - 1] + sorted[half];
    return std::isfinite(sum) ? sum / 2 : sorted[half - 1] / 2 + sorted[half] / 2;
}

}  // namespace

std::vector<double> finiteSorted(std::span<const double> values)
{
    std::vector<double> result;
    result.reserve(values.size());
    for (const double value : values)
        if (std::isfinite(value))
            result.push_back(value);
    std::sort(result.begin(), result.end());
    return result;
}

std::optional<double> mean(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    if (sorted.empty())
        return {};
    return double(meanOfSorted(sorted));
}

std::optional<double> sampleVariance(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    if (sorted.size() < 2)
        return {};
    if (sorted.front() == sorted.back())
        return 0.0;
    const long double centre = meanOfSorted(sorted);
    long double squares = 0;
    long double rest = 0;
    for (const double value : sorted) {
        const long double deviation = value - centre;
        squares += deviation * deviation;
        rest += deviation;
    }
    const auto n = static_cast<long double>(sorted.size());
    return double((squares - rest * rest / n) / (n - 1));
}

std::optional<double> sampleSd(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    if (sorted.size() < 2)
        return {};
    // Scaled by a power of two, so that the square of a huge or tiny spread stays a double.
    const double range = sorted.back() / 2 - sorted.front() / 2;
    if (range == 0)
        return 0.0;
    int exponent = 0;
    std::frexp(range, &exponent);
    std::vector<double> scaled;
    scaled.reserve(sorted.size());
    for (const double value : sorted)
        scaled.push_back(std::ldexp(value, -exponent));
    return std::ldexp(std::sqrt(*sampleVariance(scaled)), exponent);
}

std::optional<double> minimum(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    return sorted.empty() ? std::optional<double>() : sorted.front();
}

std::optional<double> maximum(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    return sorted.empty() ? std::optional<double>() : sorted.back();
}

std::optional<double> median(std::span<const double> values)
{
    const auto sorted = finiteSorted(values);
    return sorted.empty() ? std::optional<double>() : medianOfSorted(sorted);
}

std::optional<double> quantile(std::span<const double> values, double q)
{
    const auto sorted = finiteSorted(values);
    if (sorted.empty() || !(q >= 0 && q <= 1))
        return {};
    const double position = q * double(sorted.size() - 1);
    const auto low = std::min(std::size_t(std::floor(position)), sorted.size() - 1);
    const auto high = std::min(low + 1, sorted.size() - 1);
    return std::lerp(sorted[low], sorted[high], position - double(low));
}

std::optional<double> trimmedMean(std::span<const double> values, double share)
{
    const auto sorted = finiteSorted(values);
    if (!(share >= 0 && share < 0.5) || sorted.empty())
        return {};
    const auto cut = std::size_t(share * double(sorted.size()));
    return mean(std::span(sorted).subspan(cut, sorted.size() - 2 * cut));
}

std::optional<std::size_t> worstIndex(std::span<const double> values, bool lowerIsBetter)
{
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i]) && (!worst || (lowerIsBetter ? values[i] > values[*worst] : values[i] < values[*worst])))
            worst = i;
    return worst;
}

std::vector<double> midRanks(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        const double rank = (double(begin + 1) + double(end)) / 2;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = rank;
        begin = end;
    }
    return ranks;
}

}  // namespace holo::stats
