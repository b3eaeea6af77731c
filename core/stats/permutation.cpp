#include "core/stats/permutation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/stats/descriptive.h"

namespace holo::stats {

namespace {

struct Moments {
    double sum = 0;
    double squares = 0;
    double absolute = 0;
};

// Statistic of a split, from the moments of the first part and of the whole. The splits are compared by a key that rises with the statistic
// and needs no logarithm: the larger variance over the smaller, or the difference of means itself.
class SplitStatistic {
public:
    SplitStatistic(SpreadStatistic kind, const std::vector<double>& pooled, std::size_t n1) :
        m_kind(kind), m_n1(double(n1)), m_n2(double(pooled.size() - n1))
    {
        for (const double value : pooled)
            add(m_whole, value);
        m_zero = 1e-13 * m_whole.squares;
    }

    static void add(Moments& moments, double value)
    {
        moments.sum += value;
        moments.squares += value * value;
        moments.absolute += std::abs(value);
    }

    double key(const Moments& first) const
    {
        if (m_kind == SpreadStatistic::MeanAbsoluteDeviation)
            return std::abs(first.absolute / m_n1 - (m_whole.absolute - first.absolute) / m_n2);
        const double s1 = spread(first.squares, first.sum, m_n1);
        const double s2 = spread(m_whole.squares - first.squares, m_whole.sum - first.sum, m_n2);
        if (s1 == s2)
            return 1;
        return std::max(s1, s2) / std::min(s1, s2);  // infinite where one part has no spread
    }
    double statistic(double key) const { return m_kind == SpreadStatistic::LogVarianceRatio ? std::log(key) : key; }

private:
    double spread(double squares, double sum, double n) const
    {
        const double rest = squares - sum * sum / n;
        return rest <= m_zero ? 0 : rest / (n - 1);
    }

    SpreadStatistic m_kind;
    double m_n1;
    double m_n2;
    double m_zero = 0;
    Moments m_whole;
};

// C(n, k), or limit + 1 where it is larger than limit.
std::uint64_t combinations(std::uint64_t n, std::uint64_t k, std::uint64_t limit)
{
    k = std::min(k, n - k);
    limit = std::min(limit, std::uint64_t(1) << 40);  // keeps the product below 64 bits for up to 2^24 values
    std::uint64_t result = 1;
    for (std::uint64_t i = 1; i <= k; ++i) {
        result = result * (n - k + i) / i;
        if (result > limit)
            return limit + 1;
    }
    return result;
}

// Uniform in 0 … n−1 from one word of the stream, without bias; the many small draws of a permutation need no more.
std::uint32_t below(RandomStream& random, std::uint32_t n)
{
    for (;;) {
        const std::uint64_t product = std::uint64_t(random.next32()) * n;
        if (std::uint32_t(product) >= n || std::uint32_t(product) >= (0 - n) % n)
            return std::uint32_t(product >> 32);
    }
}

bool reaches(double statistic, double observed)
{
    return statistic >= observed - 1e-10 * std::max(1.0, std::abs(observed)) || statistic == observed;
}

// Visits all ways to choose n1 of the values, carrying the moments along.
template <class Visit>
void visitSplits(const std::vector<double>& pooled, std::size_t n1, std::size_t from, const Moments& moments, const Visit& visit)
{
    if (n1 == 0) {
        visit(moments);
        return;
    }
    for (std::size_t i = from; i + n1 <= pooled.size(); ++i) {
        Moments next = moments;
        SplitStatistic::add(next, pooled[i]);
        visitSplits(pooled, n1 - 1, i + 1, next, visit);
    }
}

std::string drawnNote(std::size_t resamples)
{
    return "Monte Carlo, " + std::to_string(resamples) + " drawn permutations.";
}

}  // namespace

TestResult permutationSpread(const Sample& a, const Sample& b, SpreadStatistic statistic, Centre centre, PermutationOptions options)
{
    const Sample both[] = {a, b};
    const Prepared data = prepare(both);
    TestResult result;
    result.name = std::string("Permutation of spread, ") + (statistic == SpreadStatistic::LogVarianceRatio ? "|ln variance ratio|" : "mean |deviation|") +
                  (centre == Centre::Median ? " (median)" : " (mean)");
    result.groups = data.names;
    result.note = joinNotes(data.note, data.refusal);
    if (!data.refusal.empty())
        return result;

    std::vector<std::vector<double>> groups = data.groups;
    std::sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.size() != y.size() ? x.size() < y.size() : x < y; });
    std::vector<double> pooled;
    double largest = 0;
    for (const auto& group : groups) {
        const double middle = centre == Centre::Median ? *median(group) : *mean(group);
        for (const double value : group) {
            pooled.push_back(value - middle);
            largest = std::max(largest, std::abs(value - middle));
        }
    }
    if (largest <= 8 * std::numeric_limits<double>::epsilon() * data.largest()) {
        result.note = joinNotes(result.note, "No p-value: all deviations are zero.");
        return result;
    }
    for (double& value : pooled)
        value /= largest;

    const std::size_t n1 = groups.front().size();
    const SplitStatistic split(statistic, pooled, n1);
    Moments observedMoments;
    for (std::size_t i = 0; i < n1; ++i)
        SplitStatistic::add(observedMoments, pooled[i]);
    const double observed = split.key(observedMoments);
    const double unit = statistic == SpreadStatistic::MeanAbsoluteDeviation ? largest : 1;
    result.statistic = split.statistic(observed) * unit;
    if (std::isinf(observed))
        result.note = joinNotes(result.note, "One arm has no spread.");

    const std::uint64_t splits = combinations(pooled.size(), n1, options.exactLimit);
    if (splits <= options.exactLimit) {
        std::uint64_t hits = 0;
        visitSplits(pooled, n1, 0, Moments(), [&](const Moments& moments) { hits += reaches(split.key(moments), observed); });
        result.p = double(hits) / double(splits);
        result.note = joinNotes(result.note, "Exact, " + std::to_string(splits) + " splits.");
        return result;
    }
    RandomStream random(options.seed, "permutation of spread");
    std::uint64_t hits = 0;
    for (std::size_t draw = 0; draw < options.resamples; ++draw) {
        Moments moments;
        for (std::size_t i = 0; i < n1; ++i) {
            std::swap(pooled[i], pooled[i + below(random, std::uint32_t(pooled.size() - i))]);
            SplitStatistic::add(moments, pooled[i]);
        }
        hits += reaches(split.key(moments), observed);
    }
    result.p = double(hits + 1) / double(options.resamples + 1);
    result.note = joinNotes(result.note, drawnNote(options.resamples));
    return result;
}

TestResult pairedPermutation(std::span<const double> x, std::span<const double> y, PermutationOptions options)
{
    TestResult result;
    result.name = "Paired permutation, mean difference";
    std::vector<double> differences;
    const std::size_t pairs = std::min(x.size(), y.size());
    for (std::size_t i = 0; i < pairs; ++i)
        if (std::isfinite(x[i] - y[i]))
            differences.push_back(x[i] - y[i]);
    if (differences.size() < pairs)
        result.note = std::to_string(pairs - differences.size()) + " pairs with a non-finite score left out.";
    if (differences.size() < kFewestSeeds) {
        result.note = joinNotes(result.note, "No p-value: fewer than " + std::to_string(kFewestSeeds) + " pairs.");
        return result;
    }
    result.statistic = *mean(differences);
    double largest = 0;
    for (const double difference : differences)
        largest = std::max(largest, std::abs(difference));
    if (largest == 0) {
        result.note = joinNotes(result.note, "No p-value: all differences are zero.");
        return result;
    }
    std::sort(differences.begin(), differences.end(), [](double a, double b) { return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a < b; });
    double sum = 0;
    for (double& difference : differences) {
        difference /= largest;
        sum += difference;
    }
    const double observed = std::abs(sum);
    const std::size_t n = differences.size();
    if (n < 63 && (std::uint64_t(1) << n) <= options.exactLimit) {
        // Gray code: pattern i differs from pattern i − 1 in the sign of one difference. The sum is taken anew every 1024 patterns against drift.
        const std::uint64_t patterns = std::uint64_t(1) << n;
        std::uint64_t hits = 0;
        double running = sum;
        for (std::uint64_t i = 0; i < patterns; ++i) {
            const std::uint64_t gray = i ^ (i >> 1);
            if (i % 1024 == 0) {
                running = 0;
                for (std::size_t bit = 0; bit < n; ++bit)
                    running += (gray >> bit & 1) ? -differences[bit] : differences[bit];
            } else {
                const auto bit = std::size_t(__builtin_ctzll(i));
                running += (gray >> bit & 1) ? -2 * differences[bit] : 2 * differences[bit];
            }
            hits += reaches(std::abs(running), observed);
        }
        result.p = double(hits) / double(patterns);
        result.note = joinNotes(result.note, "Exact, " + std::to_string(patterns) + " sign patterns.");
        return result;
    }
    RandomStream random(options.seed, "paired permutation");
    std::uint64_t hits = 0;
    for (std::size_t draw = 0; draw < options.resamples; ++draw) {
        double drawn = 0;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i % 32 == 0)
                bits = random.next32();
            drawn += differences[i] * (1 - 2 * int(bits >> (i % 32) & 1));
        }
        hits += reaches(std::abs(drawn), observed);
    }
    result.p = double(hits + 1) / double(options.resamples + 1);
    result.note = joinNotes(result.note, drawnNote(options.resamples));
    return result;
}

}  // namespace holo::stats
