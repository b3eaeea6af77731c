#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/statistics.h"

namespace holo::stats {

// Step-down adjustment of Holm (1979): max over the sorted p of min(1, (m−i)·p_(i)). Empty entries do not count and stay empty.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

// Sets pHolm (over the whole list) and pHolmName (over tests of the same name).
void adjust(std::vector<TestResult>& tests);

}  // namespace holo::stats
