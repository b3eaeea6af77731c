#include <CLI/CLI.hpp>

#include "app/cli/error_report.h"
#include "app/cli/options.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/overrides.h"
#include "core/config/scheme_json.h"
#include "core/config/trained_scheme.h"
#include "core/run/batch.h"
#include "core/run/checkpoint_header.h"
#include "core/run/continuation.h"
#include "core/run/evaluation_digest.h"
#include "core/run/run_record.h"
#include "core/run/worker.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct TrainOptions {
    std::string what;   // PROJECT or CHECKPOINT
    fs::path run;
    std::string arm;
    std::int64_t seed = -1;
    std::string scheme;
    std::string armName;
    std::vector<std::string> parameters;
    std::int64_t stopAt = -1;
    std::string resume = "auto";
    bool dryRun = false;
    bool noEval = false;
    DeviceOptions device;
};

std::vector<config::Parameter> parametersOf(const TrainOptions& options)
{
    std::vector<config::Parameter> parameters;
    for (const std::string& text : options.parameters)
        parameters.push_back(config::parseParameter(text));
    if (options.device.precision != "auto")
        parameters.emplace_back("train.precision", options.device.precision);
    return parameters;
}

run::WorkerOptions forRunFolder(const TrainOptions& options)
{
    const fs::path folder = fs::absolute(options.run).lexically_normal();
    const run::StoredRun stored = run::readStoredRun(run::RunDirectory(folder));
    run::WorkerOptions worker;
    worker.folder = folder;
    worker.project = folder.parent_path().parent_path();
    worker.spec = stored.spec;
    return worker;
}

run::WorkerOptions forProject(const TrainOptions& options)
{
    run::BatchOptions list;
    list.projects = {options.what};
    list.parameters = parametersOf(options);
    list.arm = options.arm;
    list.seed = options.seed;
    const auto jobs = run::listJobs(list);
    if (jobs.size() != 1)
        throw Error(ErrorKind::Usage, options.what + ": has " + std::to_string(jobs.size()) + " runs that fit; --arm and --seed have to name one (all of them: holonomy --batch " + options.what + ").",
            {options.what, "--arm, --seed", std::to_string(jobs.size()) + " runs", "one run"});
    run::WorkerOptions worker;
    worker.project = jobs.front().project;
    worker.folder = jobs.front().folder;
    worker.spec = jobs.front().spec;
    worker.initial = run::continuationFromRun(jobs.front().from, worker.spec, worker.folder);
    return worker;
}

// Goes on from the weights of a checkpoint, with another scheme or other settings, as a run of its own in the same project.
run::WorkerOptions forCheckpoint(const TrainOptions& options, const fs::path& modelFile)
{
    const auto file = interop::SafetensorsFile::open(modelFile);
    const auto header = run::readCheckpointHeader(file);
    if (!header)
        throw Error(ErrorKind::Unsupported, modelFile.string() + ": was not written by a run of ours; import it first.", {modelFile.string(), "", "", "a checkpoint of a run"});
    const auto runFolder = run::runFolderOf(modelFile);
    if (!runFolder)
        throw Error(ErrorKind::Usage, modelFile.string() + ": lies in no run folder, so there is no project to train in.", {modelFile.string(), "", "", "PROJECT/runs/RUN/checkpoints/step-N"});

    run::WorkerOptions worker;
    worker.project = runFolder->parent_path().parent_path();
    worker.spec = run::readStoredRun(run::RunDirectory(*runFolder)).spec;
    const config::TrainedWith trained{worker.spec.scheme, config::modelShape(header->model(), worker.spec.seed)};
    const ladder::Scheme wanted = options.scheme.empty() ? trained.scheme : config::parseScheme(options.scheme);
    if (options.seed >= 0)
        worker.spec.seed = options.seed;
    worker.spec.arm = !options.armName.empty() ? options.armName : worker.spec.arm + " then " + config::shortForm(wanted);
    std::vector<config::Problem> problems;
    config::applyOverrides(worker.spec, parametersOf(options), problems, "--param");
    if (!problems.empty())
        throw Error(ErrorKind::Usage, problems.front().message, {"--param", problems.front().field, problems.front().found, problems.front().allowed});
    const ladder::ModelShape shape = config::modelShape(config::resolved(worker.spec.model, header->vocab), worker.spec.seed);
    worker.spec.scheme = options.scheme.empty() ? config::keptScheme(trained, shape) : config::schemeForWeights(wanted, trained, shape);
    ladder::resolve(worker.spec.scheme, shape);
    worker.folder = worker.project / "runs" / (config::runId(worker.spec) + "-from-" + sha256OfFile(modelFile).substr(0, 8));
    worker.initial = run::continuationOf(modelFile, *header, worker.spec, worker.folder);
    return worker;
}

run::WorkerOptions workerOptions(const TrainOptions& options)
{
    if (!options.run.empty() && !options.what.empty())
        throw Error(ErrorKind::Usage, "train takes PROJECT, CHECKPOINT or --run DIR; " + options.what + " and --run are given.", {"", "--run", options.what, "one of both"});
    if (!options.run.empty())
        return forRunFolder(options);
    if (options.what.empty())
        throw Error(ErrorKind::Usage, "train needs a PROJECT, a CHECKPOINT or --run DIR.", {"", "PROJECT", "nothing", "a project, a checkpoint or --run DIR"});
    std::error_code ec;
    const fs::path path = options.what;
    if (fs::is_regular_file(path / "project.json", ec) || path.extension() == ".json" || !fs::exists(path, ec))
        return forProject(options);
    if (const auto modelFile = run::modelFileOf(path))
        return forCheckpoint(options, fs::absolute(*modelFile).lexically_normal());
    return forProject(options);
}

std::string originText(const Json& initial)
{
    if (initial.is_null())
        return {};
    return "from " + initial["run"].get<std::string>() + ", step " + initial["step"].dump() + ", trained at context " + initial["trained_context"].dump() + " with " + dumpLine(initial["trained_with"]) + "; runs with " +
           dumpLine(initial["runs_with"]) + "\n";
}

Output train(const TrainOptions& options, const Context& context)
{
    run::WorkerOptions worker = workerOptions(options);
    worker.argv = context.argv;
    worker.revision = HOLO_REVISION;
    worker.device = options.device.device;
    worker.threads = int(options.device.threads);
    worker.stopAt = options.stopAt;
    worker.startOver = options.resume == "no";
    worker.evaluate = !options.noEval;
    worker.translate = asError;
    const std::string id = worker.folder.filename().string();
    if (options.dryRun) {
        const Json document = {{"format", 1}, {"run", id}, {"folder", worker.folder.string()}, {"steps", config::totalSteps(worker.spec)}, {"spec", config::toJson(worker.spec)}, {"initial", worker.initial}};
        return {document, worker.folder.string() + ": " + std::to_string(config::totalSteps(worker.spec)) + " steps.\n" + originText(worker.initial)};
    }
    ProgressLine line(!context.quiet);
    worker.progress = [&](const run::Progress& progress) { line.show(progress); };
    const run::Exit exit = run::runWorker(worker);
    line.end();
    if (exit.code != 0 && exit.code != exitCode(ErrorKind::Interrupted))
        throw Error(ErrorKind(exit.code), id + ": " + exit.message);
    const Json evals = run::evaluationsAt(run::RunDirectory(worker.folder), exit.step);
    Output output;
    output.document = {{"format", 1}, {"run", id}, {"folder", worker.folder.string()}, {"class", exit.className}, {"exit", exit.code}, {"step", exit.step}, {"tokens", exit.tokens}, {"evals", evals},
        {"message", exit.message}};
    output.document["initial"] = worker.initial;
    output.text = originText(worker.initial) + id + ": " + exit.message + "\n";
    output.code = exit.code;
    return output;
}

}  // namespace

void addTrainVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<TrainOptions>();
    CLI::App* verb = addVerb(app, context, "train", "train one run, or go on with another scheme from a checkpoint", "holonomy train tiny --arm standard --seed 1",
        [options, &context] { return train(*options, context); });
    verb->add_option("PROJECT", options->what, "project (with --arm and --seed), or a checkpoint to go on from");
    verb->add_option("--run", options->run, "run folder that was prepared or begun before");
    verb->add_option("--arm", options->arm, "arm of the project");
    addInteger(verb, "--seed", options->seed, "seed of the run");
    verb->add_option("--scheme", options->scheme, "with a checkpoint: the positional scheme to go on with");
    verb->add_option("--name", options->armName, "with a checkpoint: name of the new arm");
    verb->add_option("--param", options->parameters, "PATH=VALUE: override one field (repeatable)")->allow_extra_args(false);
    addInteger(verb, "--stop-at", options->stopAt, "save at exactly this step and leave");
    verb->add_option("--resume", options->resume, "auto: from the newest complete checkpoint; no: from the start")->check(CLI::IsMember({"auto", "no"}));
    verb->add_flag("--no-eval", options->noEval, "train only");
    verb->add_flag("--dry-run", options->dryRun, "say what would be done");
    addDevice(verb, options->device);
}

}  // namespace holo::cli
