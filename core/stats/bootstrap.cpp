#include "core/stats/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/stats/descriptive.h"
#include "core/stats/distributions.h"
#include "core/stats/sample.h"

namespace holo::stats {

namespace {

constexpr std::size_t kMostJackknife = 2000;  // its work grows with the square of the values

double deviation(const std::vector<double>& values)
{
    return sampleSd(values).value_or(0);
}

// SD of scores of ordinary size, without the sorting and scaling that a single value can afford.
double quickDeviation(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    const double centre = sum / double(values.size());
    double squares = 0;
    for (const double value : values)
        squares += (value - centre) * (value - centre);
    return std::sqrt(squares / double(values.size() - 1));
}

bool allEqual(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

Interval inverted(const Interval& interval)
{
    return {1 / interval.hi, 1 / interval.lo};
}

}  // namespace

Interval percentileInterval(std::span<const double> replicates, double level)
{
    const double alpha = (1 - level) / 2;
    return {quantile(replicates, alpha).value_or(NAN), quantile(replicates, 1 - alpha).value_or(NAN)};
}

std::optional<Interval> bcaInterval(double estimate, std::span<const double> replicates, std::span<const std::vector<double>> jackknife, double level)
{
    if (replicates.empty())
        return {};
    // A resample that draws every value once has the estimate itself, up to rounding.
    const auto [least, most] = std::minmax_element(replicates.begin(), replicates.end());
    const double rounding = 1e-12 * (*most - *least);
    std::size_t below = 0;
    std::size_t notAbove = 0;
    for (const double replicate : replicates) {
        below += replicate < estimate - rounding;
        notAbove += replicate <= estimate + rounding;
    }
    const double z0 = normalQuantile(double(below + notAbove) / (2 * double(replicates.size())));
    long double cubes = 0;
    long double squares = 0;
    for (const auto& values : jackknife) {
        const auto n = static_cast<long double>(values.size());
        long double centre = 0;
        for (const double value : values)
            centre += value;
        centre /= n;
        for (const double value : values) {
            const long double influence = (n - 1) * (centre - value);
            cubes += influence * influence * influence / (n * n * n);
            squares += influence * influence / (n * n);
        }
    }
    const double acceleration = double(cubes / std::pow(squares, 1.5L) / 6);
    if (!std::isfinite(z0) || !std::isfinite(acceleration))
        return {};
    const double alpha = (1 - level) / 2;
    const auto adjusted = [&](double z) { return normalCdf(z0 + (z0 + z) / (1 - acceleration * (z0 + z))); };
    const double low = adjusted(normalQuantile(alpha));
    const double high = adjusted(-normalQuantile(alpha));
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
        return {};
    return Interval{*quantile(replicates, low), *quantile(replicates, high)};
}

BootstrapResult bootstrap(std::span<const std::vector<double>> samples, const Statistic& statistic, BootstrapOptions options)
{
    BootstrapResult result;
    std::vector<std::vector<double>> data;
    for (const auto& sample : samples) {
        data.push_back(finiteSorted(sample));
        if (data.back().size() < 2) {
            result.note = "No interval: it takes at least two finite values in every sample.";
            return result;
        }
    }
    const double estimate = statistic(data);
    if (!std::isfinite(estimate)) {
        result.note = "No interval: the statistic does not exist for these values.";
        return result;
    }
    result.estimate = estimate;

    RandomStream random(options.seed, "bootstrap");
    std::vector<std::vector<double>> drawn = data;
    std::vector<double> replicates;
    replicates.reserve(options.resamples);
    for (std::size_t i = 0; i < options.resamples; ++i) {
        for (std::size_t j = 0; j < data.size(); ++j)
            for (double& value : drawn[j])
                value = data[j][random.below(data[j].size())];
        const double replicate = statistic(drawn);
        if (std::isfinite(replicate))
            replicates.push_back(replicate);
    }
    if (replicates.size() < options.resamples)
        result.note = std::to_string(options.resamples - replicates.size()) + " of " + std::to_string(options.resamples) + " resamples without a finite statistic left out.";
    if (replicates.empty())
        return result;
    std::sort(replicates.begin(), replicates.end());
    result.standardError = deviation(replicates);
    result.percentile = percentileInterval(replicates, options.level);

    std::size_t total = 0;
    for (const auto& sample : data)
        total += sample.size();
    if (total > kMostJackknife) {
        result.note = joinNotes(result.note, "No BCa interval: more than " + std::to_string(kMostJackknife) + " values.");
        return result;
    }
    std::vector<std::vector<double>> jackknife(data.size());
    for (std::size_t j = 0; j < data.size(); ++j)
        for (std::size_t i = 0; i < data[j].size(); ++i) {
            auto without = data;
            without[j].erase(without[j].begin() + std::ptrdiff_t(i));
            jackknife[j].push_back(statistic(without));
        }
    result.bca = bcaInterval(estimate, replicates, jackknife, options.level);
    return result;
}

SdRatio sdRatio(const Sample& a, const Sample& b, BootstrapOptions options)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    SdRatio result;
    result.groups = data.names;
    result.note = joinNotes(data.note, data.refusal);
    if (!data.refusal.empty())
        return result;
    const double sdA = *sampleSd(a.values);
    const double sdB = *sampleSd(b.values);
    if (sdA <= 0 || sdB <= 0) {
        result.note = joinNotes(result.note, "No ratio: " + (sdA > 0 ? b.name : a.name) + " has no spread.");
        return result;
    }
    result.ratio = sdA / sdB;
    // Drawn from scores in one order and of ordinary size, whichever arm comes first.
    const bool turned = finiteSorted(a.values) != data.groups[0];
    auto samples = data.groups;
    const double unit = std::max(sdA, sdB);
    for (auto& sample : samples) {
        const double origin = sample[sample.size() / 2];
        for (double& value : sample)
            value = (value - origin) / unit;
    }
    const BootstrapResult drawn = bootstrap(samples, [](std::span<const std::vector<double>> s) {
        return allEqual(s[0]) || allEqual(s[1]) ? NAN : quickDeviation(s[0]) / quickDeviation(s[1]);
    }, options);
    result.note = joinNotes(result.note, drawn.note);
    result.percentile = drawn.percentile;
    result.bca = drawn.bca;
    if (turned) {
        if (result.percentile)
            result.percentile = inverted(*result.percentile);
        if (result.bca)
            result.bca = inverted(*result.bca);
    }
    return result;
}

TwoLevelResult twoLevelBootstrap(std::span<const std::int64_t> k, std::span<const std::int64_t> n, BootstrapOptions options)
{
    TwoLevelResult result;
    std::vector<double> shares;
    std::vector<std::vector<double>> cumulative;
    for (std::size_t i = 0; i < std::min(k.size(), n.size()); ++i) {
        if (n[i] < 1 || k[i] < 0 || k[i] > n[i]) {
            result.note = "No interval: " + std::to_string(k[i]) + " of " + std::to_string(n[i]) + " is no share.";
            return result;
        }
        shares.push_back(double(k[i]) / double(n[i]));
        cumulative.push_back(binomialMass(n[i], shares.back()));
        double sum = 0;
        for (double& mass : cumulative.back())
            mass = sum += mass;
    }
    result.mean = mean(shares);
    result.sd = sampleSd(shares);
    if (shares.size() < 2) {
        result.note = "No interval: it takes at least two seeds.";
        return result;
    }
    RandomStream random(options.seed, "two-level bootstrap");
    std::vector<double> means;
    std::vector<double> deviations;
    std::vector<double> drawn(shares.size());
    for (std::size_t i = 0; i < options.resamples; ++i) {
        for (double& share : drawn) {
            const std::size_t seed = random.below(shares.size());
            const auto& table = cumulative[seed];
            const auto right = std::min(std::upper_bound(table.begin(), table.end(), random.uniform()) - table.begin(), std::ptrdiff_t(table.size()) - 1);
            share = double(right) / double(table.size() - 1);
        }
        means.push_back(*mean(drawn));
        deviations.push_back(deviation(drawn));
    }
    result.meanInterval = percentileInterval(means, options.level);
    result.sdInterval = percentileInterval(deviations, options.level);
    return result;
}

}  // namespace holo::stats
