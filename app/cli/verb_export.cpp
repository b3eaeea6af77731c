#include <CLI/CLI.hpp>

#include "app/cli/export_hf.h"
#include "app/cli/export_runs.h"
#include "app/cli/options.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"

namespace holo::cli {

namespace {

struct ExportOptions {
    RunExport runs;       // also what and where to for a model
    std::string scheme;
    std::string dtype;
    bool customCode = false;
    bool dryRun = false;
    bool hasOut = false;
};

// One checkpoint and where to, as `CHECKPOINT DEST` or `CHECKPOINT --out DEST`.
Output exportCheckpoint(const ExportOptions& options)
{
    std::vector<std::filesystem::path> paths = options.runs.runs;
    if (options.hasOut)
        paths.push_back(options.runs.out);
    if (paths.size() != 2)
        throw Error::at(ErrorKind::Usage, {"", "--format " + options.runs.format, std::to_string(paths.size()) + " paths", "two, CHECKPOINT DEST"});
    return exportModel({paths[0], paths[1], options.runs.format, options.scheme, options.dtype, options.customCode, options.dryRun});
}

Output exportWhat(const ExportOptions& options)
{
    if (options.runs.format == "hf" || options.runs.format == "safetensors")
        return exportCheckpoint(options);
    for (const auto& [name, value] : {std::pair("--scheme", options.scheme), std::pair("--dtype", options.dtype)})
        if (!value.empty())
            throw Error::at(ErrorKind::Usage, {"", name, value, "none with --format " + options.runs.format});
    if (options.customCode)
        throw Error::at(ErrorKind::Usage, {"", "--custom-code", "given", "none with --format " + options.runs.format});
    RunExport runs = options.runs;
    runs.dryRun = options.dryRun;
    return exportRuns(runs);
}

}  // namespace

void addExportVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = addVerb(app, context, "export", "runs as CSV or TensorBoard events, a checkpoint as a Hugging Face folder or one safetensors file",
                             "holonomy export tiny/runs/* --format csv --out csv\n  holonomy export tiny/runs/RUN exported --format hf", [options] { return exportWhat(*options); });
    verb->add_option("RUN", options->runs.runs, "run folders; for hf and safetensors CHECKPOINT DEST")->required();
    verb->add_option("--format", options->runs.format, "csv, tensorboard, hf or safetensors")->check(CLI::IsMember({"csv", "tensorboard", "hf", "safetensors"}))->capture_default_str();
    verb->add_option("--out", options->runs.out, "folder to write into")->capture_default_str()->each([options](const std::string&) { options->hasOut = true; });
    verb->add_option("--scheme", options->scheme, "hf: positional scheme that the exported model runs with (default: as trained)");
    verb->add_option("--dtype", options->dtype, "hf, safetensors: F32, F16 or BF16 (default: as an untouched import came in, else F32)")->check(CLI::IsMember({"F32", "F16", "BF16"}));
    verb->add_flag("--custom-code", options->customCode, "hf: with a modelling file in any case; it keeps angles in float64, transformers' own in float32");
    verb->add_flag("--dry-run", options->dryRun, "check everything and list the files, write nothing");
}

}  // namespace holo::cli
