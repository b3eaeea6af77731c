#pragma once

#include "app/cli/context.h"

namespace CLI {
class App;
}

namespace holo::cli {

// `analyze kernel|scores|turns` of a plan (SCHEME, or the one that a CHECKPOINT was trained with) and `analyze toy`.
void addPlanAnalyses(CLI::App& analyze, Context& context);

}  // namespace holo::cli
