#include "core/stats/contingency.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/stats/distributions.h"

namespace holo::stats {

namespace {

constexpr std::int64_t kMostFisher = 10'000'000;
constexpr std::int64_t kMostBarnard = 2000;

void check(const TwoShares& s, std::int64_t most, const char* name)
{
    for (const auto& [k, n] : {std::pair(s.k1, s.n1), std::pair(s.k2, s.n2)})
        if (n < 0 || k < 0 || k > n || n > most)
            throw Error(ErrorKind::Usage, std::string(name) + ": " + std::to_string(k) + " of " + std::to_string(n) + " is no share it takes; allowed: 0 <= k <= n <= " +
                                              std::to_string(most) + ".");
}

bool marginIsEmpty(const TwoShares& s)
{
    return s.n1 == 0 || s.n2 == 0 || s.k1 + s.k2 == 0 || s.k1 + s.k2 == s.n1 + s.n2;
}

}  // namespace

TestResult fisherExact(const TwoShares& s)
{
    check(s, kMostFisher, "Fisher's exact test");
    TestResult result;
    result.name = "Fisher exact (share learned)";
    const double cross = double(s.k2) * double(s.n1 - s.k1);
    const double straight = double(s.k1) * double(s.n2 - s.k2);
    if (cross > 0 || straight > 0)
        result.statistic = cross > 0 ? straight / cross : std::numeric_limits<double>::infinity();
    if (marginIsEmpty(s)) {
        result.statistic.reset();
        result.p = 1.0;
        result.note = "All outcomes are equal.";
        return result;
    }
    const std::int64_t drawn = s.k1 + s.k2;
    const std::int64_t low = std::max<std::int64_t>(0, drawn - s.n2);
    const std::int64_t high = std::min(s.n1, drawn);
    // Hypergeometric weights by ratios from the mode; only their proportions matter.
    std::vector<long double> weight(std::size_t(high - low) + 1, 0.0L);
    const auto mode = std::clamp(std::int64_t((static_cast<long double>(drawn) + 1) * (static_cast<long double>(s.n1) + 1) / (static_cast<long double>(s.n1) + static_cast<long double>(s.n2) + 2)), low, high);
    const auto ratio = [&](std::int64_t x) {  // weight(x + 1)/weight(x)
        return static_cast<long double>(s.n1 - x) * static_cast<long double>(drawn - x) /
               (static_cast<long double>(x + 1) * static_cast<long double>(s.n2 - drawn + x + 1));
    };
    weight[std::size_t(mode - low)] = 1;
    for (std::int64_t x = mode; x < high; ++x)
        weight[std::size_t(x + 1 - low)] = weight[std::size_t(x - low)] * ratio(x);
    for (std::int64_t x = mode; x > low; --x)
        weight[std::size_t(x - 1 - low)] = weight[std::size_t(x - low)] / ratio(x - 1);
    const long double observed = weight[std::size_t(s.k1 - low)];
    std::sort(weight.begin(), weight.end());
    long double all = 0;
    long double extreme = 0;
    for (const long double part : weight) {
        all += part;
        if (part <= observed * (1 + 1e-13L))
            extreme += part;
    }
    result.p = std::min(1.0, double(extreme / all));
    return result;
}

TestResult barnardExact(const TwoShares& s)
{
    check(s, kMostBarnard, "Barnard's exact test");
    TestResult result;
    result.name = "Barnard exact (share learned)";
    if (marginIsEmpty(s)) {
        if (s.n1 > 0 && s.n2 > 0)
            result.statistic = 0.0;
        result.p = 1.0;
        result.note = "All outcomes are equal.";
        return result;
    }
    const double n1 = double(s.n1);
    const double n2 = double(s.n2);
    const auto score = [&](std::int64_t x1, std::int64_t x2) {
        if (x1 * s.n2 == x2 * s.n1)
            return 0.0;
        const double pooled = double(x1 + x2) / (n1 + n2);
        return (double(x1) / n1 - double(x2) / n2) / std::sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2));
    };
    const double observed = score(s.k1, s.k2);
    result.statistic = observed;
    // For every x1 the outcomes x2 at least as far from equality lie below `below` or from `above` on.
    struct Range {
        std::int64_t below = 0;
        std::int64_t above = 0;
    };
    const double limit = std::abs(observed) * (1 - 1e-12);
    std::vector<Range> ranges;
    for (std::int64_t x1 = 0; x1 <= s.n1; ++x1) {
        Range range{0, s.n2 + 1};
        while (range.below <= s.n2 && score(x1, range.below) >= limit)
            ++range.below;
        while (range.above > range.below && score(x1, range.above - 1) <= -limit)
            --range.above;
        ranges.push_back(range);
    }
    const auto tail = [&](double q) {
        const auto mass1 = binomialMass(s.n1, q);
        const auto mass2 = binomialMass(s.n2, q);
        std::vector<double> upTo(mass2.size() + 1, 0.0);
        for (std::size_t i = 0; i < mass2.size(); ++i)
            upTo[i + 1] = upTo[i] + mass2[i];
        std::vector<double> from(mass2.size() + 1, 0.0);
        for (std::size_t i = mass2.size(); i > 0; --i)
            from[i - 1] = from[i] + mass2[i - 1];
        double sum = 0;
        for (std::size_t x1 = 0; x1 < ranges.size(); ++x1)
            sum += mass1[x1] * (upTo[std::size_t(ranges[x1].below)] + from[std::size_t(ranges[x1].above)]);
        return sum;
    };
    // A grid that is dense near 0 and 1, where many trials put their narrow maxima, then golden section about every local maximum that may win.
    const int steps = int(std::clamp<std::int64_t>(8 * (s.n1 + s.n2), 400, 2000));
    const auto at = [&](int i) {
        const double t = std::sin(3.14159265358979323846 / 2 * double(i) / steps);
        return std::clamp(t * t, 1e-9, 1 - 1e-9);
    };
    std::vector<double> grid;
    for (int i = 0; i <= steps; ++i)
        grid.push_back(tail(at(i)));
    const double top = *std::max_element(grid.begin(), grid.end());
    double best = top;
    for (int i = 0; i <= steps; ++i) {
        const double left = grid[std::size_t(std::max(0, i - 1))];
        const double right = grid[std::size_t(std::min(steps, i + 1))];
        if (grid[std::size_t(i)] < left || grid[std::size_t(i)] < right || grid[std::size_t(i)] < 0.995 * top)
            continue;
        const double golden = (std::sqrt(5.0) - 1) / 2;
        double a = at(std::max(0, i - 1));
        double b = at(std::min(steps, i + 1));
        double c = b - golden * (b - a);
        double d = a + golden * (b - a);
        double fc = tail(c);
        double fd = tail(d);
        for (int turn = 0; turn < 60 && b - a > 1e-8; ++turn) {
            if (fc > fd) {
                b = d;
                d = c;
                fd = fc;
                c = b - golden * (b - a);
                fc = tail(c);
            } else {
                a = c;
                c = d;
                fc = fd;
                d = a + golden * (b - a);
                fd = tail(d);
            }
        }
        best = std::max({best, fc, fd});
    }
    result.p = std::min(1.0, best);
    return result;
}

}  // namespace holo::stats
