#include <CLI/CLI.hpp>

#include "app/cli/run_rows.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
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

Output show(const fs::path& given)
{
    std::error_code ec;
    const fs::path folder = fs::weakly_canonical(given, ec);
    const run::RunDirectory run(folder);
    if (!fs::is_regular_file(run.runFile(), ec))
        throw Error(ErrorKind::Malformed, given.string() + ": holds no run.json; allowed: a run folder, PROJECT/runs/RUN.", {given.string(), "RUN", "no run.json", "a run folder"});
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
    TextTable evals({"evaluation", "protocol", "step", "mean", "scheme"});
    for (const Json& eval : document["evals"])
        evals.add({eval["id"].get<std::string>(), eval["protocol"].get<std::string>(), dumpLine(eval["step"]), eval.contains("mean") ? shortNumber(toDouble(eval["mean"], "mean"), 4) : "–",
                   eval["scheme"].get<std::string>()});
    if (!document["evals"].empty())
        text += "\n" + evals.text();
    if (document.contains("exit") && !document["exit"]["message"].get<std::string>().empty())
        text += "\n" + document["exit"]["message"].get<std::string>() + "\n";
    if (record.contains("spec"))
        text += "\n" + dumpPretty(record["spec"]);
    return {std::move(document), std::move(text)};
}

}  // namespace

void addShowVerb(CLI::App& app, Context& context)
{
    const auto folder = std::make_shared<fs::path>();
    CLI::App* verb = addVerb(app, context, "show", "one run: its resolved spec and its results", "holonomy show tiny/runs/standard-s1-1a2b3c4d", [folder] { return show(*folder); });
    verb->add_option("RUN", *folder, "run folder")->required();
}

}  // namespace holo::cli
