#include "app/shell/pages/needle_curves.h"

namespace holo::shell {

using widgets::AccuracyPoint;

std::vector<AccuracyPoint> byDepth(const model::NeedleGrid& grid, std::int64_t length)
{
    std::vector<AccuracyPoint> points;
    for (std::size_t row = 0; row < grid.depths.size(); ++row) {
        double right = 0;
        double trials = 0;
        for (std::size_t column = 0; column < grid.lengths.size(); ++column) {
            const auto& cell = grid.at(row, column);
            if (!cell || (length != 0 && grid.lengths[column] != length))
                continue;
            right += cell->accuracy * static_cast<double>(cell->trials);
            trials += static_cast<double>(cell->trials);
        }
        if (trials <= 0)
            continue;
        const auto interval = model::wilson(right, trials);
        points.push_back({100 * grid.depths[row], right / trials, interval.low, interval.high, trials});
    }
    return points;
}

std::vector<AccuracyPoint> byLength(const model::NeedleGrid& grid)
{
    std::vector<AccuracyPoint> points;
    for (std::size_t column = 0; column < grid.lengths.size(); ++column) {
        double right = 0;
        double trials = 0;
        for (std::size_t row = 0; row < grid.depths.size(); ++row)
            if (const auto& cell = grid.at(row, column)) {
                right += cell->accuracy * static_cast<double>(cell->trials);
                trials += static_cast<double>(cell->trials);
            }
        if (trials <= 0)
            continue;
        const auto interval = model::wilson(right, trials);
        points.push_back({static_cast<double>(grid.lengths[column]), right / trials, interval.low, interval.high, trials});
    }
    return points;
}

std::vector<AccuracyPoint> byDistance(const model::NeedleGrid& grid)
{
    std::vector<AccuracyPoint> points;
    for (const auto& bin : grid.byDistance) {
        const auto trials = static_cast<double>(bin.trials);
        if (trials <= 0)
            continue;
        const auto interval = model::wilson(bin.accuracy * trials, trials);
        points.push_back({bin.delta, bin.accuracy, interval.low, interval.high, trials});
    }
    return points;
}

}  // namespace holo::shell
