#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/curve.h"

namespace holo::model {

// Append-only curve that answers "what does this range look like in so many columns" in time bounded by the columns, keeping the least
// and the greatest value of every column: a spike of one point is seen at every zoom. x must not fall.
class MinMaxPyramid {
public:
    void append(double x, double y);
    void clear();

    std::size_t size() const { return m_x.size(); }
    double x(std::size_t i) const { return m_x[i]; }
    double y(std::size_t i) const { return m_y[i]; }

    // Points of [lo, hi] and one neighbour on either side. Up to 4·columns of them are exact; beyond that two points a block.
    // With `positiveOnly`, values that a log axis cannot show are gaps, like non-finite ones.
    struct View {
        Curve curve;            // gaps are NaN
        bool thinned = false;
        std::size_t points = 0; // in the range
    };
    View view(double lo, double hi, int columns, bool positiveOnly = false) const;

    // x of the values that cannot be drawn: non-finite, or not positive with `positiveOnly`; at most `limit`, evenly thinned.
    std::vector<double> maskedX(bool positiveOnly, std::size_t limit = 2000) const;
    std::size_t maskedCount(bool positiveOnly) const { return positiveOnly ? m_nonPositive : m_nonFinite; }

    // Range of the drawable values; false if there is none.
    bool range(bool positiveOnly, double& low, double& high) const;
    std::size_t indexNear(double x) const;  // of the nearest point; size() if empty

private:
    static constexpr std::size_t kFan = 8;
    static constexpr std::uint32_t kNone = 0xffffffff;
    struct Block {
        std::uint32_t min = kNone;
        std::uint32_t minPositive = kNone;
        std::uint32_t max = kNone;
    };
    void merge(Block& block, std::uint32_t index) const;

    std::vector<double> m_x;
    std::vector<double> m_y;
    std::vector<std::vector<Block>> m_levels;  // level k: blocks of kFan^(k+1) points
    std::size_t m_nonFinite = 0;
    std::size_t m_nonPositive = 0;
};

}  // namespace holo::model
