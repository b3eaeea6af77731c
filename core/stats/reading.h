#pragma once

#include "core/model/statistics.h"

namespace holo::stats {

// Says which reading the data allow and sets `readingKind` and `reading`:
// TooFew (an arm has fewer than three seeds), ShareLearned (scores fall into two humps: compare shares), SpreadTest (one hump: compare spreads).
void setReading(StatisticsTable& table);

}  // namespace holo::stats
