#pragma once

#include <string>
#include <vector>

#include "core/bench/row.h"

namespace holo::cli {

// Rows of a self-test or benchmark as a table for people, with a line that counts what passed, failed and was skipped.
std::string resultText(const std::vector<bench::Row>& rows);

}  // namespace holo::cli
