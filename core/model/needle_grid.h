#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace holo::model {

// One cell: prompts of one length with the needle at one depth (0 = start of the context, 1 = its end).
struct NeedleCell {
    std::int64_t length = 0;
    double depth = 0;
    double depthReal = 0;      // mean depth realised
    std::int64_t trials = 0;
    double accuracy = 0;       // share of exact matches, 0 … 1
    double nll = 0;            // nats a token of the answer
    double low = 0;            // Wilson 95 %
    double high = 1;
    bool outsideTraining = false;
    int seeds = 1;             // runs behind the cell
};

struct DistanceBin {
    double delta = 0;  // tokens between needle and question
    std::int64_t trials = 0;
    double accuracy = 0;
};

// Retrieval by length and depth. Shape: depths × lengths, both rising; a cell may be missing.
struct NeedleGrid {
    std::vector<std::int64_t> lengths;
    std::vector<double> depths;
    std::vector<std::optional<NeedleCell>> cells;  // [depth][length]
    std::vector<DistanceBin> byDistance;
    double chance = 0;
    double mean = 0;
    std::int64_t context = 0;  // training context where known; 0: not

    bool isEmpty() const { return cells.empty(); }
    const std::optional<NeedleCell>& at(std::size_t depth, std::size_t length) const { return cells[depth * lengths.size() + length]; }
    double worst() const;  // least accuracy of a cell; NaN if there is none
};

// From an evaluation document with `cells`. Throws Error (malformed) that names `source`.
NeedleGrid needleGrid(const Json& document, const std::string& source);
NeedleGrid gridOfCells(std::vector<NeedleCell> cells);

// Cell by cell over runs: counts are added, so that intervals are those of the pooled trials.
NeedleGrid meanGrid(const std::vector<NeedleGrid>& grids);

// a − b where both have the cell. A cell is noise when the two Wilson-score difference intervals (Newcombe 1998, method 10) hold zero.
struct DifferenceGrid {
    std::vector<std::int64_t> lengths;
    std::vector<double> depths;
    std::vector<double> difference;  // [depth][length], NaN: missing
    std::vector<bool> noise;
};
DifferenceGrid difference(const NeedleGrid& a, const NeedleGrid& b);

// Wilson 95 % interval of `successes` of `trials`.
struct Interval {
    double low = 0;
    double high = 1;
};
Interval wilson(double successes, double trials);

}  // namespace holo::model
