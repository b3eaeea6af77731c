#include "core/model/needle_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/base/error.h"

namespace holo::model {

namespace {

double numberOr(const Json& object, const char* key, double fallback)
{
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? fallback : toDouble(*it, key);
}

}  // namespace

Interval wilson(double successes, double trials)
{
    if (trials <= 0)
        return {};
    constexpr double z = 1.959963984540054;
    const double p = successes / trials;
    const double scale = 1 + z * z / trials;
    const double centre = (p + z * z / (2 * trials)) / scale;
    const double half = z / scale * std::sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials));
    return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

double NeedleGrid::worst() const
{
    double least = std::numeric_limits<double>::quiet_NaN();
    for (const auto& cell : cells)
        if (cell && !(cell->accuracy >= least))
            least = cell->accuracy;
    return least;
}

NeedleGrid gridOfCells(std::vector<NeedleCell> list)
{
    NeedleGrid grid;
    std::set<std::int64_t> lengths;
    std::set<double> depths;
    for (const auto& cell : list) {
        lengths.insert(cell.length);
        depths.insert(cell.depth);
    }
    grid.lengths.assign(lengths.begin(), lengths.end());
    grid.depths.assign(depths.begin(), depths.end());
    grid.cells.resize(grid.lengths.size() * grid.depths.size());
    double sum = 0;
    for (auto& cell : list) {
        const auto column = std::lower_bound(grid.lengths.begin(), grid.lengths.end(), cell.length) - grid.lengths.begin();
        const auto row = std::lower_bound(grid.depths.begin(), grid.depths.end(), cell.depth) - grid.depths.begin();
        sum += cell.accuracy;
        grid.cells[static_cast<std::size_t>(row) * grid.lengths.size() + static_cast<std::size_t>(column)] = cell;
    }
    grid.mean = list.empty() ? 0 : sum / static_cast<double>(list.size());
    return grid;
}

NeedleGrid needleGrid(const Json& document, const std::string& source)
{
    if (!document.is_object() || !document.contains("cells") || !document.at("cells").is_array())
        throw Error(ErrorKind::Malformed, source + ": the evaluation holds no cells.", {source, "cells", "", "an array"});
    std::vector<NeedleCell> cells;
    for (const Json& entry : document.at("cells")) {
        if (!entry.is_object() || !entry.contains("length"))
            throw Error(ErrorKind::Malformed, source + ": a cell has no length.", {source, "cells", "", "objects with a length"});
        NeedleCell cell;
        cell.length = static_cast<std::int64_t>(numberOr(entry, "length", 0));
        cell.depth = numberOr(entry, "depth", 0);
        cell.depthReal = numberOr(entry, "depth_real", cell.depth);
        cell.trials = static_cast<std::int64_t>(numberOr(entry, "trials", 0));
        cell.accuracy = numberOr(entry, "exact", 0);
        cell.nll = numberOr(entry, "nll", std::numeric_limits<double>::quiet_NaN());
        const auto interval = entry.find("wilson");
        if (interval != entry.end() && interval->is_array() && interval->size() == 2) {
            cell.low = toDouble((*interval)[0], "wilson");
            cell.high = toDouble((*interval)[1], "wilson");
        } else {
            const Interval w = wilson(cell.accuracy * static_cast<double>(cell.trials), static_cast<double>(cell.trials));
            cell.low = w.low;
            cell.high = w.high;
        }
        const auto outside = entry.find("outside_training");
        cell.outsideTraining = outside != entry.end() && outside->is_boolean() && outside->get<bool>();
        if (cell.trials > 0)
            cells.push_back(cell);
    }
    NeedleGrid grid = gridOfCells(std::move(cells));
    grid.chance = numberOr(document, "chance", 0);
    grid.mean = numberOr(document, "mean", grid.mean);
    const auto bins = document.find("by_distance");
    if (bins != document.end() && bins->is_array())
        for (const Json& bin : *bins)
            grid.byDistance.push_back({numberOr(bin, "delta", 0), static_cast<std::int64_t>(numberOr(bin, "trials", 0)), numberOr(bin, "exact", 0)});
    return grid;
}

NeedleGrid meanGrid(const std::vector<NeedleGrid>& grids)
{
    std::map<std::pair<double, std::int64_t>, NeedleCell> sums;
    std::map<double, DistanceBin> bins;
    double mean = 0;
    for (const auto& grid : grids) {
        mean += grid.mean;
        for (const auto& cell : grid.cells) {
            if (!cell)
                continue;
            auto [it, isNew] = sums.try_emplace({cell->depth, cell->length}, *cell);
            NeedleCell& sum = it->second;
            if (isNew) {
                sum.accuracy *= static_cast<double>(cell->trials);
                sum.nll *= static_cast<double>(cell->trials);
                continue;
            }
            sum.trials += cell->trials;
            sum.accuracy += cell->accuracy * static_cast<double>(cell->trials);
            sum.nll += cell->nll * static_cast<double>(cell->trials);
            sum.depthReal += cell->depthReal;
            sum.outsideTraining = sum.outsideTraining || cell->outsideTraining;
            sum.seeds += cell->seeds;
        }
        for (const auto& bin : grid.byDistance) {
            auto [it, isNew] = bins.try_emplace(bin.delta, bin);
            if (isNew) {
                it->second.accuracy *= static_cast<double>(bin.trials);
                continue;
            }
            it->second.trials += bin.trials;
            it->second.accuracy += bin.accuracy * static_cast<double>(bin.trials);
        }
    }
    std::vector<NeedleCell> cells;
    for (auto& [key, sum] : sums) {
        const Interval w = wilson(sum.accuracy, static_cast<double>(sum.trials));
        sum.accuracy /= static_cast<double>(sum.trials);
        sum.nll /= static_cast<double>(sum.trials);
        sum.depthReal /= sum.seeds;
        sum.low = w.low;
        sum.high = w.high;
        cells.push_back(sum);
    }
    NeedleGrid result = gridOfCells(std::move(cells));
    for (auto& [delta, bin] : bins) {
        bin.accuracy /= static_cast<double>(std::max<std::int64_t>(bin.trials, 1));
        result.byDistance.push_back(bin);
    }
    if (!grids.empty()) {
        result.mean = mean / static_cast<double>(grids.size());
        result.chance = grids.front().chance;
        result.context = grids.front().context;
    }
    return result;
}

DifferenceGrid difference(const NeedleGrid& a, const NeedleGrid& b)
{
    DifferenceGrid result;
    std::set<std::int64_t> lengths(a.lengths.begin(), a.lengths.end());
    std::set<double> depths(a.depths.begin(), a.depths.end());
    lengths.insert(b.lengths.begin(), b.lengths.end());
    depths.insert(b.depths.begin(), b.depths.end());
    result.lengths.assign(lengths.begin(), lengths.end());
    result.depths.assign(depths.begin(), depths.end());
    const auto find = [](const NeedleGrid& grid, double depth, std::int64_t length) -> const NeedleCell* {
        const auto row = std::find(grid.depths.begin(), grid.depths.end(), depth);
        const auto column = std::find(grid.lengths.begin(), grid.lengths.end(), length);
        if (row == grid.depths.end() || column == grid.lengths.end())
            return nullptr;
        const auto& cell = grid.at(static_cast<std::size_t>(row - grid.depths.begin()), static_cast<std::size_t>(column - grid.lengths.begin()));
        return cell ? &*cell : nullptr;
    };
    for (const double depth : result.depths)
        for (const std::int64_t length : result.lengths) {
            const NeedleCell* p = find(a, depth, length);
            const NeedleCell* q = find(b, depth, length);
            if (!p || !q) {
                result.difference.push_back(std::numeric_limits<double>::quiet_NaN());
                result.noise.push_back(false);
                continue;
            }
            const double d = p->accuracy - q->accuracy;
            const double below = std::hypot(p->accuracy - p->low, q->high - q->accuracy);
            const double above = std::hypot(p->high - p->accuracy, q->accuracy - q->low);
            result.difference.push_back(d);
            result.noise.push_back(d - below <= 0 && d + above >= 0);
        }
    return result;
}

}  // namespace holo::model
