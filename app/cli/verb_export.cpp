#include <CLI/CLI.hpp>

#include "app/cli/export_runs.h"
#include "app/cli/verbs.h"

namespace holo::cli {

void addExportVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<RunExport>();
    CLI::App* verb = addVerb(app, context, "export", "runs as CSV or TensorBoard events", "holonomy export tiny/runs/* --format csv --out csv", [options] { return exportRuns(*options); });
    verb->add_option("RUN", options->runs, "run folders")->required();
    verb->add_option("--format", options->format, "csv or tensorboard")->check(CLI::IsMember({"csv", "tensorboard"}))->capture_default_str();
    verb->add_option("--out", options->out, "folder to write into")->capture_default_str();
}

}  // namespace holo::cli
