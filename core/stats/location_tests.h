#pragma once

#include "core/model/statistics.h"
#include "core/stats/sample.h"

namespace holo::stats {

// t = (x̄₁−x̄₂)/√(s₁²/n₁+s₂²/n₂), two-sided, degrees of freedom of Welch and Satterthwaite.
TestResult welch(const Sample& a, const Sample& b);

}  // namespace holo::stats
