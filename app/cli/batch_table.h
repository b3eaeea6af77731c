#pragma once

#include <string>

#include "core/base/json.h"

namespace holo::cli {

// The results of a batch as one table for people: a row a run with loss and validation loss, needle score and perplexity at each length. Needle
// scores at more lengths than four are given as their mean.
std::string batchTable(const Json& results);

}  // namespace holo::cli
