#include "core/stats/lottery.h"

#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"

namespace holo::stats {

namespace {

int countReaching(const std::vector<double>& sorted, double floor)
{
    return int(std::count_if(sorted.begin(), sorted.end(), [&](double value) { return value >= floor; }));
}

// Σ weight_i x_i; the weights are shares C(i−1, k−1)/C(n, k) of the subsets whose best member is x_(i), walked down from the largest value.
std::optional<double> expectedBestOfSorted(const std::vector<double>& sorted, int k)
{
    const int n = int(sorted.size());
    if (k < 1 || k > n)
        return {};
    double weight = double(k) / n;  // i = n
    double sum = 0;
    for (int i = n; i >= k; --i) {
        sum += weight * sorted[std::size_t(i) - 1];
        if (i > k)
            weight *= double(i - k) / double(i - 1);
    }
    return sum;
}

}  // namespace

std::optional<double> bestOfReaches(std::span<const double> values, int k, double floor)
{
    const auto sorted = finiteSorted(values);
    const int n = int(sorted.size());
    if (k < 1 || k > n)
        return {};
    const int below = n - countReaching(sorted, floor);
    double none = 1;
    for (int i = 0; i < k; ++i)
        none *= std::max(0.0, double(below - i)) / double(n - i);
    return 1 - none;
}

std::optional<double> expectedBestOf(std::span<const double> values, int k)
{
    return expectedBestOfSorted(finiteSorted(values), k);
}

std::optional<double> expectedLowestOf(std::span<const double> values, int k)
{
    auto sorted = finiteSorted(values);
    std::reverse(sorted.begin(), sorted.end());
    return expectedBestOfSorted(sorted, k);
}

std::optional<double> bestOfReachesFresh(std::span<const double> values, int k, double floor)
{
    const auto sorted = finiteSorted(values);
    if (k < 1 || sorted.empty())
        return {};
    return 1 - std::pow(1 - double(countReaching(sorted, floor)) / double(sorted.size()), k);
}

std::optional<double> expectedBestOfFresh(std::span<const double> values, int k)
{
    const auto sorted = finiteSorted(values);
    if (k < 1 || sorted.empty())
        return {};
    const double n = double(sorted.size());
    double sum = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i)
        sum += sorted[i] * (std::pow(double(i + 1) / n, k) - std::pow(double(i) / n, k));
    return sum;
}

}  // namespace holo::stats
