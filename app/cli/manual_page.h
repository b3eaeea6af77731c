#pragma once

#include <string>

#include "app/cli/command_tree.h"

namespace holo::cli {

// holonomy(1) in the man macros.
std::string manualPage(const VerbText& tree, const std::string& version);

}  // namespace holo::cli
