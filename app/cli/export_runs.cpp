#include "app/cli/export_runs.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/interop/tensorboard.h"
#include "core/report/csv_export.h"
#include "core/run/run_directory.h"
#include "core/store/run_index.h"

namespace holo::cli {

namespace fs = std::filesystem;

namespace {

fs::path checkedRun(const fs::path& given)
{
    std::error_code ec;
    const fs::path folder = fs::weakly_canonical(given, ec);
    if (!fs::is_regular_file(run::RunDirectory(folder).runFile(), ec))
        throw Error(ErrorKind::Malformed, given.string() + ": holds no run.json; allowed: a run folder, PROJECT/runs/RUN.", {given.string(), "RUN", "no run.json", "a run folder"});
    return folder;
}

// Names are the run's folder name and the evaluation's, which both are safe as file names.
void exportCsv(const fs::path& folder, const RunExport& options, Json& files)
{
    store::RunIndex index = store::RunIndex::openMemory(folder.parent_path().parent_path());
    index.update();
    const std::string id = folder.filename().string();
    const auto save = [&](const std::string& name, const std::string& bytes) {
        if (!options.dryRun)
            writeFileAtomic(options.out / name, bytes);
        files.push_back((options.out / name).string());
    };
    save(id + "-steps.csv", report::stepsCsv(index.queries().steps(id)));
    for (const model::EvalRow& eval : index.queries().evals(id)) {
        const model::NeedleGrid grid = index.queries().grid(id, eval.id);
        if (!grid.isEmpty()) {
            save(id + "-" + eval.id + "-cells.csv", report::tidyCsv(grid));
            save(id + "-" + eval.id + "-grid.csv", report::wideCsv(grid));
        }
        const auto rows = index.queries().perplexity(id, eval.id);
        if (!rows.empty())
            save(id + "-" + eval.id + ".csv", report::perplexityCsv(rows));
    }
}

// The curve that counts and the evaluations, as TensorBoard draws them: one folder a run. Wall time is the run's own clock.
void exportTensorBoard(const fs::path& folder, const RunExport& options, Json& files)
{
    const std::string id = folder.filename().string();
    const fs::path out = options.out / id;
    const fs::path file = out / "events.out.tfevents.0.holonomy";
    files.push_back(file.string());
    if (options.dryRun)
        return;
    store::RunIndex index = store::RunIndex::openMemory(folder.parent_path().parent_path());
    index.update();
    std::error_code ec;
    fs::create_directories(out, ec);
    fs::remove(file, ec);  // of an earlier export; the writer begins a new file only
    interop::TensorBoardWriter writer(out, 0, "holonomy");
    const auto clock = [](double t) { return std::isfinite(t) ? t : 0.0; };
    const auto live = model::branches(index.queries().steps(id)).live;
    using Column = std::pair<const char*, double model::StepRecord::*>;
    std::vector<Column> columns{{"train/loss", &model::StepRecord::loss}, {"train/grad_norm", &model::StepRecord::gradNorm}, {"train/lr", &model::StepRecord::lr}, {"train/tok_s", &model::StepRecord::tokensPerSecond}};
    std::erase_if(columns, [&](const Column& column) { return std::all_of(live.begin(), live.end(), [&](const auto& step) { return std::isnan(step.*column.second); }); });  // imported curves lack some
    for (const model::StepRecord& step : live) {
        interop::Scalars scalars;
        for (const auto& [tag, value] : columns)
            scalars.emplace_back(tag, step.*value);
        writer.scalars(step.step, clock(step.t), scalars);
    }
    for (const model::EvalRow& eval : index.queries().evals(id)) {
        if (eval.swapped)
            continue;
        if (std::isfinite(eval.mean))
            writer.scalars(eval.step, 0, {{"eval/" + eval.protocol, eval.mean}});
        for (const store::PerplexityRow& row : index.queries().perplexity(id, eval.id))
            writer.scalars(eval.step, 0, {{"eval/perplexity/" + std::to_string(row.length), row.ppl}});
    }
}

}  // namespace

Output exportRuns(const RunExport& options)
{
    std::vector<fs::path> runs;
    for (const fs::path& run : options.runs)
        runs.push_back(checkedRun(run));
    std::error_code ec;
    if (!options.dryRun)
        fs::create_directories(options.out, ec);
    if (ec)
        throw Error::at(ErrorKind::Resource, {options.out.string(), "--out", ec.message(), "a folder that can be written"});
    Json files = Json::array();
    for (const fs::path& run : runs) {
        if (options.format == "tensorboard")
            exportTensorBoard(run, options, files);
        else
            exportCsv(run, options, files);
    }
    std::string text;
    for (const Json& file : files)
        text += file.get<std::string>() + "\n";
    return {{{"format", 1}, {"files", std::move(files)}, {"dry_run", options.dryRun}}, std::move(text)};
}

}  // namespace holo::cli
