#include "core/stats/paired_tests.h"

#include <algorithm>
#include <cmath>

#include "core/stats/descriptive.h"
#include "core/stats/distributions.h"
#include "core/stats/sample.h"

namespace holo::stats {

namespace {

constexpr std::size_t kMostExact = 50;
constexpr std::size_t kMostExactTied = 13;

struct Pairs {
    std::vector<double> x;
    std::vector<double> y;
    std::string note;
};

Pairs finitePairs(std::span<const double> x, std::span<const double> y)
{
    Pairs result;
    const std::size_t n = std::min(x.size(), y.size());
    std::vector<std::pair<double, double>> kept;
    for (std::size_t i = 0; i < n; ++i)
        if (std::isfinite(x[i]) && std::isfinite(y[i]))
            kept.emplace_back(x[i], y[i]);
    std::sort(kept.begin(), kept.end());
    for (const auto& [first, second] : kept) {
        result.x.push_back(first);
        result.y.push_back(second);
    }
    if (kept.size() < n)
        result.note = std::to_string(n - kept.size()) + (n - kept.size() == 1 ? " pair" : " pairs") + " with a non-finite score left out.";
    if (kept.size() < kFewestSeeds)
        result.note = joinNotes(result.note, "No p-value: " + std::to_string(kept.size()) + " common seeds, at least " + std::to_string(kFewestSeeds) + " are needed.");
    return result;
}

// Two-sided p of a rank sum over all 2^n signs. Ranks come doubled, so that mid-ranks are whole.
double signedRankP(const std::vector<int>& doubledRanks, int doubledSum)
{
    int largest = 0;
    for (const int rank : doubledRanks)
        largest += rank;
    std::vector<double> share(std::size_t(largest) + 1, 0.0);
    share[0] = 1;
    int reached = 0;
    for (const int rank : doubledRanks) {
        reached += rank;
        for (int sum = reached; sum >= 0; --sum)
            share[std::size_t(sum)] = (share[std::size_t(sum)] + (sum >= rank ? share[std::size_t(sum - rank)] : 0)) / 2;
    }
    double below = 0;
    double above = 0;
    for (int sum = 0; sum <= doubledSum; ++sum)
        below += share[std::size_t(sum)];
    for (int sum = largest; sum >= doubledSum; --sum)
        above += share[std::size_t(sum)];
    return std::min(1.0, 2 * std::min(below, above));
}

}  // namespace

TestResult pitmanMorgan(std::span<const double> x, std::span<const double> y)
{
    TestResult result;
    result.name = "Pitman-Morgan (paired variances)";
    const Pairs pairs = finitePairs(x, y);
    result.note = pairs.note;
    const std::size_t n = pairs.x.size();
    if (n < kFewestSeeds)
        return result;
    const long double mx = *mean(pairs.x);
    const long double my = *mean(pairs.y);
    long double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const long double dx = pairs.x[i] - mx;
        const long double dy = pairs.y[i] - my;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    // Sums of squares of x + y and x − y and of their product.
    const long double plus = xx + yy + 2 * xy;
    const long double minus = xx + yy - 2 * xy;
    const long double tiny = 1e-26L * (xx + yy + mx * mx + my * my);
    if (plus <= tiny || minus <= tiny) {
        result.note = joinNotes(result.note, "No p-value: the sum or the difference of the pairs does not vary.");
        return result;
    }
    const long double r = (xx - yy) / std::sqrt(plus * minus);
    result.statistic = double(r);
    const double df = double(n - 2);
    result.df = {df};
    const long double rest = 4 * (xx * yy - xy * xy) / (plus * minus);  // 1 − r²
    if (rest <= 1e-24L) {
        result.note = joinNotes(result.note, "No p-value: the pairs lie on one line.");
        result.statistic.reset();
        return result;
    }
    result.p = studentTwoSided(double(r * std::sqrt(static_cast<long double>(df) / rest)), df);
    return result;
}

TestResult wilcoxonSignedRank(std::span<const double> x, std::span<const double> y)
{
    TestResult result;
    result.name = "Wilcoxon signed rank";
    const Pairs pairs = finitePairs(x, y);
    result.note = pairs.note;
    if (pairs.x.size() < kFewestSeeds)
        return result;
    std::vector<double> differences;
    for (std::size_t i = 0; i < pairs.x.size(); ++i)
        if (pairs.x[i] != pairs.y[i])
            differences.push_back(pairs.x[i] - pairs.y[i]);
    if (differences.empty()) {
        result.note = joinNotes(result.note, "No p-value: all differences are zero.");
        return result;
    }
    std::vector<double> sizes;
    for (const double difference : differences)
        sizes.push_back(std::abs(difference));
    const auto ranks = midRanks(sizes);
    double plus = 0;
    double minus = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        (differences[i] > 0 ? plus : minus) += ranks[i];
    result.statistic = std::min(plus, minus);

    std::sort(sizes.begin(), sizes.end());
    double ties = 0;
    for (std::size_t begin = 0; begin < sizes.size();) {
        std::size_t end = begin;
        while (end < sizes.size() && sizes[end] == sizes[begin])
            ++end;
        const double t = double(end - begin);
        ties += t * t * t - t;
        begin = end;
    }
    const std::size_t zeros = pairs.x.size() - differences.size();
    if (zeros > 0)
        result.note = joinNotes(result.note, std::to_string(zeros) + " zero differences dropped.");
    const bool plain = ties == 0 && zeros == 0;
    if (pairs.x.size() <= (plain ? kMostExact : kMostExactTied)) {
        std::vector<int> doubled;
        for (const double rank : ranks)
            doubled.push_back(int(std::lround(2 * rank)));
        result.p = signedRankP(doubled, int(std::lround(2 * plus)));
        result.note = joinNotes(result.note, "Exact.");
        return result;
    }
    const double n = double(differences.size());
    const double variance = (n * (n + 1) * (2 * n + 1) - ties / 2) / 24;
    const double z = (plus - n * (n + 1) / 4) / std::sqrt(variance);
    result.p = std::min(1.0, 2 * normalUpperTail(std::abs(z)));
    result.note = joinNotes(result.note, "Normal approximation.");
    return result;
}

PairedCounts pairedCounts(const std::vector<bool>& first, const std::vector<bool>& second)
{
    PairedCounts counts;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
        ++(first[i] ? (second[i] ? counts.both : counts.onlyFirst) : (second[i] ? counts.onlySecond : counts.neither));
    return counts;
}

TestResult mcnemarExact(const PairedCounts& counts)
{
    TestResult result;
    result.name = "McNemar exact (share learned)";
    result.note = "Both " + std::to_string(counts.both) + ", only first " + std::to_string(counts.onlyFirst) + ", only second " + std::to_string(counts.onlySecond) +
                  ", neither " + std::to_string(counts.neither) + ".";
    const std::int64_t fewer = std::min(counts.onlyFirst, counts.onlySecond);
    const std::int64_t discordant = counts.onlyFirst + counts.onlySecond;
    result.statistic = double(fewer);
    result.p = discordant == 0 ? 1.0 : std::min(1.0, 2 * binomialLowerTail(fewer, discordant, 0.5));
    return result;
}

TestResult cochranQ(std::span<const std::vector<bool>> rows)
{
    TestResult result;
    result.name = "Cochran Q (share learned)";
    const std::size_t k = rows.empty() ? 0 : rows.front().size();
    if (k < 2 || rows.size() < kFewestSeeds) {
        result.note = "No p-value: it takes two arms and at least " + std::to_string(kFewestSeeds) + " common seeds.";
        return result;
    }
    std::vector<std::int64_t> columns(k, 0);
    std::int64_t all = 0;
    std::int64_t squares = 0;
    for (const auto& row : rows) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
            columns[j] += row[j];
            sum += row[j];
        }
        all += sum;
        squares += sum * sum;
    }
    const auto width = std::int64_t(k);
    const std::int64_t denominator = width * all - squares;
    if (denominator == 0) {
        result.note = "No p-value: every seed has the same outcome in all arms.";
        return result;
    }
    std::int64_t columnSquares = 0;
    for (const std::int64_t column : columns)
        columnSquares += column * column;
    result.statistic = double(width - 1) * double(width * columnSquares - all * all) / double(denominator);
    result.df = {double(k - 1)};
    result.p = chiSquaredUpperTail(*result.statistic, double(k - 1));
    return result;
}

}  // namespace holo::stats
