#pragma once

#include "core/report/document.h"
#include "core/model/statistics.h"

namespace holo::report {

// The tests of a statistics table for readers: what they ask (spread, level, share learned), one row a pair of arms (or all), one column a test,
// "p (p by Holm over the pairs of this test)". Tests without any p-value are left out; statistics and degrees of freedom are in statistics.csv.
std::vector<Block> testBlocks(const stats::StatisticsTable& table);

}  // namespace holo::report
