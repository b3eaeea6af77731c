#include "core/stats/survival.h"

#include <algorithm>
#include <cmath>

#include "core/stats/distributions.h"
#include "core/stats/sample.h"

namespace holo::stats {

namespace {

Interval exponentialGreenwood(double survival, double greenwood, double z)
{
    if (survival >= 1)
        return {0, 0};
    if (survival <= 0)
        return {1, 1};
    const double logSurvival = std::log(survival);
    const double centre = std::log(-logSurvival);
    const double half = z * std::sqrt(greenwood) / -logSurvival;
    return {1 - std::exp(-std::exp(centre - half)), 1 - std::exp(-std::exp(centre + half))};
}

std::vector<Duration> sortedByStep(std::span<const Duration> durations)
{
    std::vector<Duration> result(durations.begin(), durations.end());
    std::sort(result.begin(), result.end(), [](const Duration& a, const Duration& b) { return a.step != b.step ? a.step < b.step : a.observed > b.observed; });
    return result;
}

// Solves a·x = b for a positive definite a by Cholesky; false where a is singular.
bool solve(std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double>& x)
{
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i][j];
            for (std::size_t m = 0; m < j; ++m)
                sum -= a[i][m] * a[j][m];
            if (i == j) {
                if (sum <= 1e-12 * std::max(1.0, a[i][i]))
                    return false;
                a[i][i] = std::sqrt(sum);
            } else {
                a[i][j] = sum / a[j][j];
            }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t m = 0; m < i; ++m)
            b[i] -= a[i][m] * b[m];
        b[i] /= a[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t m = i + 1; m < n; ++m)
            b[i] -= a[m][i] * b[m];
        b[i] /= a[i][i];
    }
    x = b;
    return true;
}

}  // namespace

KaplanMeier kaplanMeier(std::span<const Duration> durations, double horizon, double z)
{
    KaplanMeier result;
    result.horizon = horizon;
    const auto sorted = sortedByStep(durations);
    double survival = 1;
    double greenwood = 0;
    double last = 0;
    std::vector<double> weights;  // d/(n(n−d)) of each event step; 0 for the last, after which nobody is left
    std::vector<double> areas;    // area between this event step and the next one or the horizon
    for (std::size_t begin = 0; begin < sorted.size();) {
        std::size_t end = begin;
        int events = 0;
        while (end < sorted.size() && sorted[end].step == sorted[begin].step)
            events += sorted[end++].observed;
        const int atRisk = int(sorted.size() - begin);
        const double step = sorted[begin].step;
        begin = end;
        if (events == 0)
            continue;
        const double area = survival * std::max(0.0, std::min(step, horizon) - std::min(last, horizon));
        result.restrictedMean += area;
        if (!areas.empty())
            areas.back() = area;
        const double weight = events < atRisk ? double(events) / (double(atRisk) * (atRisk - events)) : 0;
        survival = events == atRisk ? 0 : survival * (1 - double(events) / atRisk);
        greenwood += weight;
        weights.push_back(weight);
        areas.push_back(0);
        last = step;
        result.curve.push_back({step, 1 - survival, exponentialGreenwood(survival, greenwood, z), atRisk, events});
        if (!result.median && survival <= 0.5 + 1e-12)
            result.median = step;
    }
    const double rest = survival * std::max(0.0, horizon - std::min(last, horizon));
    result.restrictedMean += rest;
    if (!areas.empty())
        areas.back() = rest;
    double variance = 0;
    double later = 0;
    for (std::size_t i = areas.size(); i-- > 0;) {
        later += areas[i];
        variance += later * later * weights[i];
    }
    result.restrictedMeanError = std::sqrt(variance);
    return result;
}

TestResult logRank(std::span<const DurationSample> samples)
{
    TestResult result;
    result.name = "Log-rank (emergence)";
    std::vector<std::vector<Duration>> groups;
    std::vector<double> steps;
    for (const DurationSample& sample : samples) {
        result.groups.push_back(sample.name);
        groups.push_back(sortedByStep(sample.durations));
        if (sample.durations.size() < kFewestSeeds && result.note.empty())
            result.note = "No p-value: " + sample.name + " has " + std::to_string(sample.durations.size()) + " runs, at least " + std::to_string(kFewestSeeds) + " are needed in every arm.";
        for (const Duration& duration : sample.durations)
            if (duration.observed)
                steps.push_back(duration.step);
    }
    if (groups.size() < 2)
        result.note = "No test: it takes at least two arms.";
    else if (result.note.empty() && steps.empty())
        result.note = "No p-value: no run has emerged.";
    if (!result.note.empty())
        return result;
    const auto key = [](const Duration& d) { return std::pair(d.step, d.observed); };
    std::sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](const Duration& x, const Duration& y) { return key(x) < key(y); });
    });
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());

    // One arm follows from the others, so the last one is left out of the quadratic form.
    const std::size_t k = groups.size();
    std::vector<double> excess(k, 0.0);
    std::vector<std::vector<double>> covariance(k, std::vector<double>(k, 0.0));
    for (const double step : steps) {
        std::vector<double> atRisk(k, 0.0);
        std::vector<double> events(k, 0.0);
        double n = 0;
        double d = 0;
        for (std::size_t j = 0; j < k; ++j) {
            for (const Duration& duration : groups[j]) {
                atRisk[j] += duration.step >= step;
                events[j] += duration.observed && duration.step == step;
            }
            n += atRisk[j];
            d += events[j];
        }
        for (std::size_t j = 0; j < k; ++j) {
            excess[j] += events[j] - d * atRisk[j] / n;
            if (n > 1)
                for (std::size_t m = 0; m < k; ++m)
                    covariance[j][m] += d * (n - d) / (n - 1) * atRisk[j] / n * ((j == m ? 1 : 0) - atRisk[m] / n);
        }
    }
    excess.pop_back();
    covariance.pop_back();
    for (auto& row : covariance)
        row.pop_back();
    std::vector<double> solved;
    if (!solve(covariance, excess, solved)) {
        result.note = "No p-value: the variance of the log-rank statistic is zero.";
        return result;
    }
    double chiSquared = 0;
    for (std::size_t j = 0; j + 1 < k; ++j)
        chiSquared += excess[j] * solved[j];
    result.statistic = std::max(0.0, chiSquared);
    result.df = {double(k - 1)};
    result.p = chiSquaredUpperTail(*result.statistic, double(k - 1));
    return result;
}

}  // namespace holo::stats
