#include "core/stats/spread_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// Both variances in the order given; false, with the reason in the note, where one of them is zero.
bool variances(const Sample& a, const Sample& b, TestResult& result, double& first, double& second, double& n1, double& n2)
{
    first = *sampleVariance(a.values);
    second = *sampleVariance(b.values);
    n1 = double(finiteSorted(a.values).size());
    n2 = double(finiteSorted(b.values).size());
    if (first > 0 && second > 0)
        return true;
    result.note = joinNotes(result.note, "No p-value: " + (first > 0 ? b.name : a.name) + " has no spread.");
    return false;
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
    double s1 = 0, s2 = 0, n1 = 0, n2 = 0;
    if (!data.refusal.empty() || !variances(a, b, result, s1, s2, n1, n2))
        return result;
    result.statistic = s1 / s2;
    result.df = {n1 - 1, n2 - 1};
    result.p = fUpperTail(*result.statistic, n1 - 1, n2 - 1);
    return result;
}

TestResult fRatioTwoSided(const Sample& a, const Sample& b)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    TestResult result = started("F ratio (two-sided)", data);
    double s1 = 0, s2 = 0, n1 = 0, n2 = 0;
    if (!data.refusal.empty() || !variances(a, b, result, s1, s2, n1, n2))
        return result;
    if (s1 < s2 || (s1 == s2 && n1 < n2)) {
        std::swap(s1, s2);
        std::swap(n1, n2);
    }
    result.statistic = s1 / s2;
    result.df = {n1 - 1, n2 - 1};
    const double upper = fUpperTail(*result.statistic, n1 - 1, n2 - 1);
    const double lower = fLowerTail(*result.statistic, n1 - 1, n2 - 1);
    result.p = std::min(1.0, 2 * std::min(upper, lower));
    return result;
}

}  // namespace holo::stats
