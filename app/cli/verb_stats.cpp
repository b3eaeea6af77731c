#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/run_rows.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/report/project_scores.h"
#include "core/stats/statistics_text.h"
#include "core/store/run_index.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct StatsOptions {
    fs::path project;
    fs::path values;
    std::string metric = "needle";
    std::int64_t length = 0;
    std::string arms;
    double floor = -1;
    bool csv = false;
    bool latex = false;
};

stats::StatisticsInput inputOf(const StatsOptions& options, std::vector<std::string>& notes)
{
    if (options.values.empty() == options.project.empty())
        throw Error(ErrorKind::Usage, "stats needs either a PROJECT or --values FILE.", {"", "PROJECT", options.values.empty() ? "nothing" : "both", "a project or --values FILE"});
    stats::StatisticsInput input;
    if (!options.values.empty()) {
        input = stats::statisticsInputFromValuesJson(readFile(options.values, 64u << 20), options.values.string());
        if (options.floor >= 0)
            input.floor = options.floor;
        return input;
    }
    const fs::path folder = projectFolder(options.project);
    std::optional<config::Project> project;
    try {
        project = config::readProject(folder);
    } catch (const Error& e) {
        notes.push_back(e.what());  // returned run folders need no project file
    }
    report::ScoreRequest request;
    request.metric = options.metric;
    request.length = options.length;
    if (!options.arms.empty())
        for (const std::string& arm : split(options.arms, ','))
            request.arms.emplace_back(trimmed(arm));
    if (options.floor >= 0)
        request.floor = options.floor;
    store::RunIndex index = store::RunIndex::openMemory(folder);
    index.update();
    input = report::projectScores(index.queries(), project ? &*project : nullptr, request, notes);
    if (input.arms.empty())
        throw Error(ErrorKind::Usage, folder.string() + ": has no finished run with the metric " + options.metric + "; runs are listed by holonomy runs.",
                    {folder.string(), "PROJECT", "no finished run", "a project with finished runs"});
    return input;
}

Output statistics(const StatsOptions& options)
{
    std::vector<std::string> notes;
    const stats::StatisticsInput input = inputOf(options, notes);
    for (const std::string& note : notes)
        logWarning("stats", note);
    stats::StatisticsTable table = stats::statisticsTable(input);
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return {stats::toJson(table), options.csv ? stats::toCsv(table) : options.latex ? stats::toLatex(table) : stats::toText(table)};
}

}  // namespace

void addStatsVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<StatsOptions>();
    CLI::App* verb = addVerb(app, context, "stats", "spread over seeds, share learned, pairs and tests", "holonomy stats lottery --metric needle --length 248 --json",
                             [options] { return statistics(*options); });
    verb->add_option("PROJECT", options->project, "project folder");
    verb->add_option("--values", options->values, "JSON file {\"groups\": {\"arm\": [values]}} in place of a project");
    verb->add_option("--metric", options->metric, join(report::metricNames(), ", "))->capture_default_str();
    addInteger(verb, "--length", options->length, "scores at this length only", 1);
    verb->add_option("--arms", options->arms, "A,B,…: only these arms");
    addNumber(verb, "--floor", options->floor, "score from which a seed counts as learned");
    verb->add_flag("--csv", options->csv, "tidy CSV on standard output");
    verb->add_flag("--latex", options->latex, "booktabs tables on standard output");
}

}  // namespace holo::cli
