#include <CLI/CLI.hpp>

#include "app/cli/eval_options.h"
#include "app/cli/run_rows.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/config/project.h"
#include "core/report/arm_grids.h"
#include "core/report/project_scores.h"
#include "core/run/run_directory.h"
#include "core/store/run_index.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

Json evaluations(const store::Queries& queries, const run::RunDirectory& run)
{
    Json list = Json::array();
    for (const model::EvalRow& eval : queries.evals(run.id())) {
        Json entry = {{"id", eval.id}, {"protocol", eval.protocol}, {"step", eval.step}, {"scheme", eval.scheme}, {"swapped", eval.swapped}};
        if (eval.mean == eval.mean)
            entry["mean"] = number(eval.mean);
        Json rows = Json::array();
        for (const store::PerplexityRow& row : queries.perplexity(run.id(), eval.id))
            rows.push_back({{"length", row.length}, {"tokens", row.tokens}, {"nll", number(row.nll)}, {"ppl", number(row.ppl)}});
        if (!rows.empty())
            entry["rows"] = std::move(rows);
        list.push_back(std::move(entry));
    }
    return list;
}

// Score of one evaluation as text: the mean, or perplexity with the length it was measured at.
std::string scoreText(const Json& eval)
{
    if (eval.contains("mean"))
        return shortNumber(toDouble(eval["mean"], "mean"), 4);
    std::vector<std::string> parts;
    if (eval.contains("rows"))
        for (const Json& row : eval["rows"])
            parts.push_back(shortNumber(toDouble(row["ppl"], "ppl"), 4) + " at " + dumpLine(row["length"]));
    return parts.empty() ? "–" : join(parts, ", ");
}

std::string gridsText(const std::vector<report::ArmGrid>& arms)
{
    std::string text;
    for (const report::ArmGrid& arm : arms)
        text += "\n" + arm.arm + ", " + std::to_string(arm.runs) + (arm.runs == 1 ? " run" : " runs") + ": needle exact match by depth (down) and length in tokens (across)\n" +
                heatmapText(arm.grid) + "mean " + formatFixed(100 * arm.grid.mean, 1) + " %, chance " + formatFixed(100 * arm.grid.chance, 1) + " %\n";
    return text;
}

Output showRun(const fs::path& folder)
{
    std::error_code ec;
    const run::RunDirectory run(folder);
    const Json record = run.readRun();
    store::RunIndex index = store::RunIndex::openMemory(folder.parent_path().parent_path());
    index.update();
    const auto row = index.queries().row(run.id());

    Json document = {{"format", 1}, {"run", run.id()}, {"folder", folder.string()}, {"state", run::stateName(run.state())}};
    document["result"] = row ? rowJson(*row) : Json();
    if (const auto exit = run.readExit())
        document["exit"] = {{"code", exit->code}, {"class", exit->className}, {"message", exit->message}, {"step", exit->step}, {"tokens", exit->tokens}};
    Json checkpoints = Json::array();
    std::vector<std::string> skipped;
    for (const run::CheckpointEntry& checkpoint : run.checkpoints(false, &skipped))
        checkpoints.push_back({{"step", checkpoint.step}, {"folder", fs::relative(checkpoint.folder, folder, ec).string()}});
    document["checkpoints"] = std::move(checkpoints);
    document["incomplete_checkpoints"] = skipped;
    document["evals"] = evaluations(index.queries(), run);
    document["record"] = record;

    std::string text = row ? rowTable({*row}) : std::string();
    TextTable evals({"evaluation", "protocol", "step", "score", ""});
    for (const Json& eval : document["evals"])
        evals.add({eval["id"].get<std::string>(), eval["protocol"].get<std::string>(), dumpLine(eval["step"]), scoreText(eval),
                   eval["swapped"].get<bool>() ? "run with " + eval["scheme"].get<std::string>() : ""});
    if (!document["evals"].empty())
        text += "\n" + evals.text();
    if (row)
        text += gridsText(report::armGrids(index.queries(), {*row}));
    if (document.contains("exit") && !document["exit"]["message"].get<std::string>().empty())
        text += "\n" + document["exit"]["message"].get<std::string>() + "\n";
    if (record.contains("spec"))
        text += "\n" + dumpPretty(record["spec"]);
    return {std::move(document), std::move(text)};
}

Output showProject(const fs::path& folder)
{
    std::vector<std::string> notes;
    store::RunIndex index = store::RunIndex::openMemory(folder);
    index.update();
    const config::Project project = config::readProject(folder);
    const auto rows = report::chosenRuns(index.queries().rows(), &project, notes);
    for (const std::string& note : notes)
        logWarning("show", note);
    const auto arms = report::armGrids(index.queries(), rows);
    Json document = {{"format", 1}, {"project", folder.string()}, {"runs", Json::array()}, {"arms", Json::array()}};
    for (const model::RunRow& row : rows)
        document["runs"].push_back(rowJson(row));
    for (const report::ArmGrid& arm : arms) {
        Json cells = Json::array();
        for (const auto& cell : arm.grid.cells)
            if (cell)
                cells.push_back({{"length", cell->length}, {"depth", cell->depth}, {"trials", cell->trials}, {"exact", number(cell->accuracy)}, {"wilson", {number(cell->low), number(cell->high)}}});
        document["arms"].push_back({{"arm", arm.arm}, {"runs", arm.runs}, {"mean", number(arm.grid.mean)}, {"chance", number(arm.grid.chance)}, {"cells", std::move(cells)}});
    }
    return {std::move(document), rowTable(rows) + gridsText(arms)};
}

Output show(const fs::path& given)
{
    std::error_code ec;
    const fs::path folder = fs::weakly_canonical(given, ec);
    if (fs::is_regular_file(run::RunDirectory(folder).runFile(), ec))
        return showRun(folder);
    if (fs::is_regular_file(folder / "project.json", ec))
        return showProject(folder);
    throw Error(ErrorKind::Malformed, given.string() + ": holds neither run.json nor project.json; allowed: a run folder, PROJECT/runs/RUN, or a project.",
                {given.string(), "FOLDER", "no run.json", "a run or project folder"});
}

}  // namespace

void addShowVerb(CLI::App& app, Context& context)
{
    const auto folder = std::make_shared<fs::path>();
    CLI::App* verb = addVerb(app, context, "show", "one run: its resolved spec and its results; or a project: its runs and the needle heatmap of each arm",
                             "holonomy show tiny/runs/standard-s1-1a2b3c4d", [folder] { return show(*folder); });
    verb->add_option("FOLDER", *folder, "run or project folder")->required();
}

}  // namespace holo::cli
