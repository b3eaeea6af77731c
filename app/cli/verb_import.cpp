#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/run/curve_import_run.h"
#include "core/run/hf_import.h"

namespace holo::cli {

namespace {

struct ImportOptions {
    std::string source;
    std::string destination;
    std::string frequencies = "refuse";
    bool dryRun = false;
};

Output importModel(const ImportOptions& options)
{
    using interop::StoredFrequencies;
    const StoredFrequencies choice = options.frequencies == "config" ? StoredFrequencies::TakeConfig
                                     : options.frequencies == "file" ? StoredFrequencies::TakeFile
                                                                     : StoredFrequencies::Refuse;
    Json document = run::importHf(options.source, options.destination, choice, options.dryRun);
    std::string text = document["family"].get<std::string>() + ", " + dumpLine(document["parameters"]) + " parameters, " + dumpLine(document["tensors"]["used"]) + " of "
                       + dumpLine(document["tensors"]["total"]) + " tensors used\nscheme  " + dumpLine(document["scheme"]) + (options.dryRun ? "\nwould be written to " : "\nwritten to ") + document["checkpoint"].get<std::string>() + "\n";
    for (const Json& note : document["notes"])
        text += "note: " + note.get<std::string>() + "\n";
    return {std::move(document), std::move(text)};
}

Output importCurves(const ImportOptions& options)
{
    Json document = run::importCurveRuns(options.source, options.destination, options.dryRun);
    std::string text;
    for (const Json& run : document["runs"])
        text += run["run"].get<std::string>() + ": " + dumpLine(run["steps"]) + " steps of " + dumpLine(run["metrics"]) + "\n";
    for (const Json& note : document["notes"])
        text += "note: " + note.get<std::string>() + "\n";
    return {std::move(document), std::move(text)};
}

Output importWhat(const ImportOptions& options)
{
    std::error_code ec;
    if (!std::filesystem::exists(options.source, ec))
        throw Error::at(ErrorKind::Usage, {options.source, "SRC", "nothing of that name", "a folder or file that is there"});
    return run::isCurveSource(options.source) ? importCurves(options) : importModel(options);
}

}  // namespace

void addImportVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<ImportOptions>();
    CLI::App* verb = addVerb(app, context, "import", "a Hugging Face model as a run folder, or another tracker's curves into a project",
                             "holonomy import models/pythia-160m imported/pythia-160m --json\n  holonomy import wandb-export.csv study", [options] { return importWhat(*options); });
    verb->add_option("SRC", options->source, "folder with config.json and safetensors; or a CSV of curves, or TensorBoard events, a folder a run")->required();
    verb->add_option("DEST", options->destination, "run folder to write, new or empty; for curves the project folder")->required();
    verb->add_option("--frequencies", options->frequencies, "where stored frequencies contradict the config: refuse, config or file (whose hold)")->check(CLI::IsMember({"refuse", "config", "file"}));
    verb->add_flag("--dry-run", options->dryRun, "check everything, write nothing");
}

}  // namespace holo::cli
