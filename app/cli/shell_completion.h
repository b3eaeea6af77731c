#pragma once

#include <string>

#include "app/cli/command_tree.h"

namespace holo::cli {

// A script that completes verbs, options, their values and the names of schemes. It is complete in itself and starts no program.
std::string bashCompletion(const VerbText& tree);
std::string zshCompletion(const VerbText& tree);
std::string fishCompletion(const VerbText& tree);

}  // namespace holo::cli
