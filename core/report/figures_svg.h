#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/curve.h"
#include "core/model/needle_grid.h"

// Figures of the report as SVG text: pure functions of their data, so that equal results give equal files.
namespace holo::report {

std::string xmlText(const std::string& text);  // escaped

// Length to the right, depth downwards (0 on top), exact match from 0 to 1 on a perceptually even scale, the number in every cell.
std::string heatmapSvg(const model::NeedleGrid& grid, const std::string& title);

// One dot a seed, a line at the mean, one row an arm; x from `low` to `high`.
std::string seedsSvg(const std::vector<std::pair<std::string, std::vector<double>>>& arms, double low, double high, const std::string& title);

// One line a curve over steps, coloured by arm; NaN breaks a line.
struct NamedCurve {
    std::string arm;
    model::Curve curve;
};
std::string curvesSvg(const std::vector<NamedCurve>& curves, const std::string& title, const std::string& yLabel);

}  // namespace holo::report
