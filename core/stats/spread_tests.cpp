#include "core/stats/spread_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/stats/descriptive.h"
#include "core/stats/distributions.h"

namespace holo::stats {

namespace {

TestResult started(const std::string& name, const Prepared& data)
{
    TestResult result;
    result.name = name;
    result.groups = data.names;
    result.note = joinNotes(data.note, data.refusal);
    return result;
}

double centreOf(const std::vector<double>& group, Centre centre)
{
    return centre == Centre::Mean ? *mean(group) : *median(group);
}

// |x − centre| in double, group by group.
std::vector<std::vector<double>> deviations(const Prepared& data, Centre centre)
{
    auto result = data.groups;
    for (auto& group : result) {
        const double middle = centreOf(group, centre);
        for (double& value : group)
            value = std::abs(value - middle);
    }
    return result;
}

// Deviations up to this size are what rounding leaves of equal scores.
double roundingOf(const Prepared& data)
{
    return 8 * std::numeric_limits<double>::epsilon() * data.largest();
}

bool allWithin(const std::vector<std::vector<double>>& groups, double limit)
{
    for (const auto& group : groups)
        for (const double value : group)
            if (value > limit)
                return false;
    return true;
}

TestResult leveneOf(const std::string& name, const Prepared& data, Centre centre)
{
    TestResult result = started(name, data);
    if (!data.refusal.empty())
        return result;
    const auto z = deviations(data, centre);
    const double rounding = roundingOf(data);
    if (allWithin(z, rounding)) {
        result.note = joinNotes(result.note, "No p-value: all deviations are zero.");
        return result;
    }
    const auto k = static_cast<long double>(z.size());
    const auto total = static_cast<long double>(data.total);
    long double all = 0;
    std::vector<long double> means;
    for (const auto& group : z) {
        long double sum = 0;
        for (const double value : group)
            sum += value;
        all += sum;
        means.push_back(sum / static_cast<long double>(group.size()));
    }
    const long double grand = all / total;
    long double between = 0;
    long double within = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
        between += static_cast<long double>(z[j].size()) * (means[j] - grand) * (means[j] - grand);
        for (const double value : z[j])
            within += (value - means[j]) * (value - means[j]);
    }
    if (within <= total * static_cast<long double>(rounding) * rounding) {
        result.note = joinNotes(result.note, "No p-value: the deviations do not vary within any arm.");
        return result;
    }
    const double df1 = double(k - 1);
    const double df2 = double(total - k);
    result.statistic = double((total - k) / (k - 1) * (between / within));
    result.df = {df1, df2};
    result.p = fUpperTail(*result.statistic, df1, df2);
    return result;
}

struct Spread {
    double sd = 0;
    double free = 0;  // degrees of freedom
};

// Deviations of both arms in the order given; nothing, with the reason in the note, where one of them is zero.
// Their ratio is squared later, since the square of a tiny or huge deviation is no double.
std::optional<std::pair<Spread, Spread>> spreads(const Sample& a, const Sample& b, TestResult& result)
{
    const auto of = [](const Sample& sample) { return Spread{*sampleSd(sample.values), double(finiteSorted(sample.values).size()) - 1}; };
    const auto both = std::pair(of(a), of(b));
    if (both.first.sd > 0 && both.second.sd > 0)
        return both;
    result.note = joinNotes(result.note, "No p-value: " + (both.first.sd > 0 ? b.name : a.name) + " has no spread.");
    return {};
}

double squaredRatio(const Spread& a, const Spread& b)
{
    return (a.sd / b.sd) * (a.sd / b.sd);
}

}  // namespace

TestResult levene(std::span<const Sample> samples, Centre centre)
{
    return leveneOf(centre == Centre::Mean ? "Levene (mean)" : "Brown-Forsythe (median)", prepare(samples), centre);
}

TestResult leveneTrimmed(std::span<const Sample> samples, double share)
{
    std::vector<Sample> trimmed(samples.begin(), samples.end());
    Prepared before = prepare(samples);
    for (Sample& sample : trimmed) {
        const auto sorted = finiteSorted(sample.values);
        const auto cut = std::size_t(share * double(sorted.size()));
        if (share >= 0 && share < 0.5)
            sample.values.assign(sorted.begin() + std::ptrdiff_t(cut), sorted.end() - std::ptrdiff_t(cut));
    }
    Prepared after = prepare(trimmed);
    after.note = before.note;
    if (!before.refusal.empty())
        after.refusal = before.refusal;
    else if (!(share >= 0 && share < 0.5))
        after.refusal = "No p-value: the share cut at both ends must lie in [0, 0.5).";
    else if (!after.refusal.empty())
        after.refusal = "No p-value: fewer than " + std::to_string(kFewestSeeds) + " values are left in an arm after trimming.";
    return leveneOf("Levene (trimmed samples)", after, Centre::Mean);
}

TestResult flignerKilleen(std::span<const Sample> samples, Centre centre)
{
    const Prepared data = prepare(samples);
    TestResult result = started(centre == Centre::Median ? "Fligner-Killeen (median)" : "Fligner-Killeen (mean)", data);
    if (!data.refusal.empty())
        return result;
    const auto z = deviations(data, centre);
    if (allWithin(z, roundingOf(data))) {
        result.note = joinNotes(result.note, "No p-value: all deviations are zero.");
        return result;
    }
    std::vector<double> pooled;
    for (const auto& group : z)
        pooled.insert(pooled.end(), group.begin(), group.end());
    const auto ranks = midRanks(pooled);
    std::vector<long double> scores;
    long double sum = 0;
    for (const double rank : ranks) {
        scores.push_back(normalQuantile(0.5 + rank / (2 * (double(data.total) + 1))));
        sum += scores.back();
    }
    const auto total = static_cast<long double>(data.total);
    const long double grand = sum / total;
    long double variance = 0;
    for (const long double score : scores)
        variance += (score - grand) * (score - grand);
    variance /= total - 1;
    if (variance <= 1e-24L) {
        result.note = joinNotes(result.note, "No p-value: all deviations are equal.");
        return result;
    }
    long double between = 0;
    std::size_t at = 0;
    for (const auto& group : z) {
        long double part = 0;
        for (std::size_t i = 0; i < group.size(); ++i)
            part += scores[at++];
        const auto n = static_cast<long double>(group.size());
        between += n * (part / n - grand) * (part / n - grand);
    }
    const double df = double(z.size() - 1);
    result.statistic = double(between / variance);
    result.df = {df};
    result.p = chiSquaredUpperTail(*result.statistic, df);
    return result;
}

TestResult bartlett(std::span<const Sample> samples)
{
    const Prepared data = prepare(samples);
    TestResult result = started("Bartlett", data);
    if (!data.refusal.empty())
        return result;
    const auto k = static_cast<long double>(data.groups.size());
    const auto total = static_cast<long double>(data.total);
    const double rounding = roundingOf(data);
    long double pooled = 0;
    long double logs = 0;
    long double inverses = 0;
    for (const auto& group : data.groups) {
        const long double free = static_cast<long double>(group.size()) - 1;
        const long double sd = *sampleSd(group);
        if (sd <= rounding) {
            result.note = joinNotes(result.note, "No p-value: an arm has no spread.");
            return result;
        }
        pooled += free * sd * sd;
        logs += free * 2 * std::log(sd);
        inverses += 1 / free;
    }
    pooled /= total - k;
    const long double numerator = (total - k) * std::log(pooled) - logs;
    const long double denominator = 1 + (inverses - 1 / (total - k)) / (3 * (k - 1));
    const double df = double(k - 1);
    result.statistic = std::max(0.0, double(numerator / denominator));
    result.df = {df};
    result.p = chiSquaredUpperTail(*result.statistic, df);
    return result;
}

TestResult fRatioOneSided(const Sample& a, const Sample& b)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    TestResult result = started("F ratio (one-sided)", data);
    const auto found = data.refusal.empty() ? spreads(a, b, result) : std::nullopt;
    if (!found)
        return result;
    const auto& [first, second] = *found;
    result.statistic = squaredRatio(first, second);
    result.df = {first.free, second.free};
    result.p = fUpperTail(*result.statistic, first.free, second.free);
    return result;
}

TestResult fRatioTwoSided(const Sample& a, const Sample& b)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    TestResult result = started("F ratio (two-sided)", data);
    const auto found = data.refusal.empty() ? spreads(a, b, result) : std::nullopt;
    if (!found)
        return result;
    auto [larger, smaller] = *found;
    if (std::pair(larger.sd, larger.free) < std::pair(smaller.sd, smaller.free))
        std::swap(larger, smaller);
    result.statistic = squaredRatio(larger, smaller);
    result.df = {larger.free, smaller.free};
    const double upper = fUpperTail(*result.statistic, larger.free, smaller.free);
    const double lower = fLowerTail(*result.statistic, larger.free, smaller.free);
    result.p = std::min(1.0, 2 * std::min(upper, lower));
    return result;
}

}  // namespace holo::stats
