#include <CLI/CLI.hpp>

#include "app/cli/batch_table.h"
#include "app/cli/dry_run.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/run/batch.h"

namespace holo::cli {

namespace {

struct BatchVerbOptions {
    std::vector<std::string> projects;
    std::vector<std::string> parameters;
    std::string arm;
    std::int64_t seed = -1;
    std::int64_t index = -1;
    std::int64_t jobs = 1;
    std::int64_t stopAt = -1;
    std::string resume = "auto";
    bool dryRun = false;
    DeviceOptions device;
};

Output batch(const BatchVerbOptions& options, const Context& context)
{
    run::BatchOptions batch;
    batch.projects.assign(options.projects.begin(), options.projects.end());
    for (const std::string& text : options.parameters)
        batch.parameters.push_back(config::parseParameter(text));
    if (options.device.precision != "auto")
        batch.parameters.emplace_back("train.precision", options.device.precision);
    batch.arm = options.arm;
    batch.seed = options.seed;
    batch.index = options.index;
    batch.jobs = int(options.jobs);
    batch.threads = int(options.device.threads);
    batch.stopAt = options.stopAt;
    batch.startOver = options.resume == "no";
    batch.device = options.device.device;
    batch.executable = std::filesystem::read_symlink("/proc/self/exe");
    if (options.dryRun)
        return dryRun(run::listJobs(batch));
    ProgressLine line(!context.quiet);
    if (!context.quiet) {
        batch.say = [&](const std::string& text) {
            line.end();
            writeError(text);
        };
        if (line.isTerminal())
            batch.bar = [&](const std::string& text) { line.show(text); };
    }
    const run::BatchOutcome outcome = run::runBatch(batch);
    line.end();
    for (const Json& row : outcome.document.at("results"))
        if (context.quiet && row.at("exit") != 0)
            writeError(row.at("run").get<std::string>() + ": " + row.at("message").get<std::string>());
    return {outcome.document, batchTable(outcome.document.at("results")), outcome.code};
}

}  // namespace

void addBatchVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<BatchVerbOptions>();
    CLI::App* verb = addVerb(app, context, "batch", "train and evaluate what is missing of a project's arms and seeds (also: --batch PROJECT)", "holonomy --batch tiny --jobs 2 --json",
        [options, &context] { return batch(*options, context); });
    verb->add_option("PROJECT", options->projects, "project folders or their project.json")->required();
    verb->add_option("--arm", options->arm, "only this arm");
    addInteger(verb, "--seed", options->seed, "only this seed");
    addInteger(verb, "--index", options->index, "only this run of the list, from 0 (Slurm's array index)");
    addInteger(verb, "--jobs", options->jobs, "runs at once", 1);
    addInteger(verb, "--stop-at", options->stopAt, "save at exactly this step, evaluate nothing, leave");
    verb->add_option("--resume", options->resume, "auto: go on where a run stands; no: from the start")->check(CLI::IsMember({"auto", "no"}));
    verb->add_option("--param", options->parameters, "PATH=VALUE: override one field of the project (repeatable)")->allow_extra_args(false);
    verb->add_flag("--dry-run", options->dryRun, "list the runs with states, sizes and estimates; start nothing");
    addDevice(verb, options->device);
}

}  // namespace holo::cli
