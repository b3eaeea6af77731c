#include "core/model/min_max_pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holo::model {

void MinMaxPyramid::clear() { *this = MinMaxPyramid(); }

void MinMaxPyramid::merge(Block& block, std::uint32_t index) const
{
    const double y = m_y[index];
    if (!std::isfinite(y))
        return;
    if (block.min == kNone || y < m_y[block.min])
        block.min = index;
    if (block.max == kNone || y > m_y[block.max])
        block.max = index;
    if (y > 0 && (block.minPositive == kNone || y < m_y[block.minPositive]))
        block.minPositive = index;
}

void MinMaxPyramid::append(double x, double y)
{
    const auto index = static_cast<std::uint32_t>(m_x.size());
    m_x.push_back(x);
    m_y.push_back(y);
    m_nonFinite += !std::isfinite(y);
    m_nonPositive += !std::isfinite(y) || y <= 0;
    std::size_t width = kFan;
    for (std::size_t level = 0; level == 0 || m_x.size() > width; ++level, width *= kFan) {
        if (level == m_levels.size()) {
            m_levels.emplace_back();
            if (level > 0)  // a new top: everything so far is its first block
                for (const Block& b : m_levels[level - 1]) {
                    if (m_levels[level].empty() || (static_cast<std::size_t>(&b - m_levels[level - 1].data()) % kFan) == 0)
                        m_levels[level].emplace_back();
                    for (const std::uint32_t i : {b.min, b.minPositive, b.max})
                        if (i != kNone)
                            merge(m_levels[level].back(), i);
                }
        }
        auto& blocks = m_levels[level];
        if (index / width >= blocks.size())
            blocks.emplace_back();
        merge(blocks.back(), index);
    }
}

MinMaxPyramid::View MinMaxPyramid::view(double lo, double hi, int columns, bool positiveOnly) const
{
    View view;
    const auto first = std::lower_bound(m_x.begin(), m_x.end(), lo) - m_x.begin();
    const auto last = std::upper_bound(m_x.begin(), m_x.end(), hi) - m_x.begin();
    std::size_t begin = static_cast<std::size_t>(first);
    std::size_t end = static_cast<std::size_t>(last);
    view.points = end > begin ? end - begin : 0;
    begin -= begin > 0;
    end += end < m_x.size();
    if (begin >= end)
        return view;

    const auto add = [&](std::size_t i) {
        const double y = m_y[i];
        const bool drawable = std::isfinite(y) && (!positiveOnly || y > 0);
        view.curve.x.push_back(m_x[i]);
        view.curve.y.push_back(drawable ? y : std::numeric_limits<double>::quiet_NaN());
    };
    const std::size_t budget = 4 * static_cast<std::size_t>(std::max(columns, 1));
    if (end - begin <= budget) {
        for (std::size_t i = begin; i < end; ++i)
            add(i);
        return view;
    }
    view.thinned = true;
    std::size_t level = 0;
    std::size_t width = kFan;
    while (level + 1 < m_levels.size() && (end - begin) / width > budget / 2) {
        ++level;
        width *= kFan;
    }
    for (std::size_t b = begin / width; b * width < end; ++b) {
        const Block& block = m_levels[level][b];
        const std::uint32_t low = positiveOnly ? block.minPositive : block.min;
        const std::uint32_t high = block.max;
        if (low == kNone || high == kNone) {
            view.curve.x.push_back(m_x[b * width]);
            view.curve.y.push_back(std::numeric_limits<double>::quiet_NaN());
            continue;
        }
        add(std::min(low, high));
        if (low != high)
            add(std::max(low, high));
    }
    return view;
}

std::vector<double> MinMaxPyramid::maskedX(bool positiveOnly, std::size_t limit) const
{
    std::vector<double> xs;
    const std::size_t count = maskedCount(positiveOnly);
    if (count == 0)
        return xs;
    const std::size_t stride = count / limit + 1;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < m_y.size(); ++i)
        if ((!std::isfinite(m_y[i]) || (positiveOnly && m_y[i] <= 0)) && seen++ % stride == 0)
            xs.push_back(m_x[i]);
    return xs;
}

bool MinMaxPyramid::range(bool positiveOnly, double& low, double& high) const
{
    if (m_levels.empty())
        return false;
    bool any = false;
    for (const Block& block : m_levels.back()) {
        const std::uint32_t min = positiveOnly ? block.minPositive : block.min;
        if (min == kNone || block.max == kNone)
            continue;
        low = any ? std::min(low, m_y[min]) : m_y[min];
        high = any ? std::max(high, m_y[block.max]) : m_y[block.max];
        any = true;
    }
    return any;
}

std::size_t MinMaxPyramid::indexNear(double x) const
{
    if (m_x.empty())
        return 0;
    const auto it = std::lower_bound(m_x.begin(), m_x.end(), x);
    if (it == m_x.begin())
        return 0;
    const auto i = static_cast<std::size_t>(it - m_x.begin());
    if (i == m_x.size())
        return i - 1;
    return x - m_x[i - 1] <= m_x[i] - x ? i - 1 : i;
}

}  // namespace holo::model
