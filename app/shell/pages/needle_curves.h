#pragma once

#include <cstdint>
#include <vector>

#include "core/model/needle_grid.h"
#include "widgets/plots/accuracy_plot.h"

namespace holo::shell {

// Accuracy with Wilson intervals out of a grid of length × depth, all cells of a position together.
std::vector<widgets::AccuracyPoint> byDepth(const model::NeedleGrid& grid, std::int64_t length);  // in % of the context; length 0: all
std::vector<widgets::AccuracyPoint> byLength(const model::NeedleGrid& grid);                      // within the training window and beyond
std::vector<widgets::AccuracyPoint> byDistance(const model::NeedleGrid& grid);                    // tokens from needle to question

}  // namespace holo::shell
