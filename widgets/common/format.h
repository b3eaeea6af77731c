#pragma once

#include <QString>
#include <cstdint>

namespace holo::widgets {

// Numbers for people, in the user's form. Missing values are a dash.
QString formatValue(double value, int digits = 4);       // significant digits
QString formatPercent(double share, int decimals = 1);   // "93.4" (the unit is in the header)
QString formatInteger(std::int64_t value);
QString formatCount(double value);                       // 1.23 M, 45.6 k
QString formatBytes(double bytes);
QString formatDuration(double seconds);                  // 3:12, 1:02:45, 2 d 3 h

}  // namespace holo::widgets
