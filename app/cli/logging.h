#pragma once

#include <string>

namespace holo::cli {

// Routes core/base/log to standard error through spdlog: plain lines, coloured on a terminal unless NO_COLOR is set.
void startLogging(const std::string& level, bool quiet);

}  // namespace holo::cli
