#pragma once

#include <string>

#include "core/base/json.h"
#include "core/model/statistics.h"

namespace holo::stats {

// The document of the `stats` command. Numbers that do not exist are null.
Json toJson(const StatisticsTable& table);
Json toJson(const TestResult& test);

// Tidy CSV: table (group | test | paired | emergence), then the columns of all of them; RFC 4180, '.' as decimal point.
std::string toCsv(const StatisticsTable& table);

// Two booktabs tables: arms and tests.
std::string toLatex(const StatisticsTable& table);

// For a terminal: arms, tests, the reading.
std::string toText(const StatisticsTable& table);

}  // namespace holo::stats
