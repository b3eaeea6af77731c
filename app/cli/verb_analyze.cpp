#include <CLI/CLI.hpp>

#include "app/cli/analyze_heads.h"
#include "app/cli/analyze_plan.h"
#include "app/cli/verbs.h"

namespace holo::cli {

void addAnalyzeVerb(CLI::App& app, Context& context)
{
    CLI::App* analyze = addVerb(app, context, "analyze", "analyses of schemes and of trained heads", "holonomy analyze holonomy tiny/runs/RUN", nullptr);
    analyze->require_subcommand(1);
    addPlanAnalyses(*analyze, context);
    addHeadAnalyses(*analyze, context);
}

}  // namespace holo::cli
