#include "core/stats/emergence.h"

#include <algorithm>
#include <cmath>

namespace holo::stats {

std::vector<SeriesPoint> cleanSeries(std::span<const SeriesPoint> series)
{
    std::vector<SeriesPoint> points;
    for (const SeriesPoint& point : series)
        if (std::isfinite(point.step) && std::isfinite(point.score))
            points.push_back(point);
    std::stable_sort(points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) { return a.step < b.step; });
    std::vector<SeriesPoint> result;
    for (const SeriesPoint& point : points) {
        if (!result.empty() && result.back().step == point.step)
            result.back() = point;
        else
            result.push_back(point);
    }
    return result;
}

std::optional<Duration> emergenceStep(std::span<const SeriesPoint> series, double threshold, std::optional<double> budget)
{
    const auto points = cleanSeries(series);
    if (points.empty())
        return {};
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].score < threshold)
            continue;
        if (i == 0)
            return Duration{points[0].step, true};
        const SeriesPoint& before = points[i - 1];
        const double share = (threshold - before.score) / (points[i].score - before.score);
        return Duration{before.step + share * (points[i].step - before.step), true};
    }
    return Duration{std::max(budget.value_or(points.back().step), points.back().step), false};
}

std::optional<PlateauStretch> findPlateau(std::span<const SeriesPoint> series, const Plateau& plateau)
{
    const auto points = cleanSeries(series);
    std::optional<PlateauStretch> longest;
    const auto inside = [&](std::size_t i) { return std::abs(points[i].score - plateau.level) <= plateau.band; };
    for (std::size_t begin = 0; begin < points.size(); ++begin) {
        std::size_t end = begin;
        while (end < points.size() && inside(end))
            ++end;
        const std::size_t length = end - begin;
        if (length >= std::max<std::size_t>(1, plateau.fewest) && (!longest || length > longest->evaluations))
            longest = PlateauStretch{points[begin].step, points[end - 1].step, length, end == points.size()};
        begin = end;
    }
    return longest;
}

}  // namespace holo::stats
