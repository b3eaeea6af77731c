#pragma once

#include <cstdint>
#include <string_view>

namespace holo::fault {

// Fault hooks for tests: environment HOLONOMY_FAULT=POINT:ACTION@N[-M][,seed=S], several joined by ';'.
// Silent unless set; says on standard error when a hook is met.

// Counts this visit of the point (from 1) and tells whether it lies in N…M.
bool hit(std::string_view point, std::string_view action);

// For points numbered by the caller (a training step) instead of by visits.
bool at(std::string_view point, std::string_view action, std::int64_t number);

// The `seed` of a point's specification, 0 if none.
std::uint64_t seed(std::string_view point, std::string_view action);

}  // namespace holo::fault
