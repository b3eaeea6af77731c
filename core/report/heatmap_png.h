#pragma once

#include <string>

#include "core/model/needle_grid.h"

namespace holo::report {

// The heatmap as a PNG: depth downwards (0 on top), length to the right, percent in every cell, axes in the built-in digits. For places
// that show no SVG; needs no fonts and no display.
std::string heatmapPng(const model::NeedleGrid& grid);

}  // namespace holo::report
