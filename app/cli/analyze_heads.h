#pragma once

#include "app/cli/context.h"

namespace CLI {
class App;
}

namespace holo::cli {

// `analyze means|spectrum|holonomy` of a CHECKPOINT's heads.
void addHeadAnalyses(CLI::App& analyze, Context& context);

}  // namespace holo::cli
