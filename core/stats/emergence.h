#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/survival.h"

namespace holo::stats {

struct SeriesPoint {
    double step = 0;
    double score = 0;
};

// Sorted by step; of equal steps the later entry stays (a repeated attempt replaces the dead one); non-finite points are dropped.
std::vector<SeriesPoint> cleanSeries(std::span<const SeriesPoint> series);

// First crossing of the threshold, linear between evaluations; at or above it from the first evaluation on: that step.
// Never: censored at `budget`, or at the last evaluation where no budget is given. Nothing for an empty series.
std::optional<Duration> emergenceStep(std::span<const SeriesPoint> series, double threshold, std::optional<double> budget = {});

// A stretch on a chance plateau, such as 1/(number of facts in context): the longest run of consecutive evaluations with |score − level| <= band.
struct Plateau {
    double level = 0;
    double band = 0.05;
    std::size_t fewest = 3;  // evaluations
};
struct PlateauStretch {
    double firstStep = 0;
    double lastStep = 0;
    std::size_t evaluations = 0;
    bool toTheEnd = false;  // never left
};
std::optional<PlateauStretch> findPlateau(std::span<const SeriesPoint> series, const Plateau& plateau);

}  // namespace holo::stats
