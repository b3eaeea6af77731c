#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/run_rows.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/report/project_scores.h"
#include "core/stats/power.h"
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
    double plan = 0;
    double alpha = .05;
    double power = .8;
    std::string test = "brown-forsythe";
    double hours = 0;
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

// Mean hours of a finished run of the project; 0 where none has been measured.
double measuredHours(const fs::path& project)
{
    store::RunIndex index = store::RunIndex::openMemory(projectFolder(project));
    index.update();
    double seconds = 0;
    int runs = 0;
    for (const model::RunRow& row : index.queries().rows())
        if (row.state == "done" && std::isfinite(row.activeSeconds)) {
            seconds += row.activeSeconds;
            ++runs;
        }
    return runs > 0 ? seconds / runs / 3600 : 0;
}

Output planned(const StatsOptions& options)
{
    stats::PowerPlan plan;
    plan.sdRatio = options.plan;
    plan.alpha = options.alpha;
    plan.power = options.power;
    plan.test = options.test == "levene" ? stats::SpreadTest::Levene : options.test == "fligner-killeen" ? stats::SpreadTest::FlignerKilleen : stats::SpreadTest::BrownForsythe;
    plan.hoursPerRun = options.hours > 0 ? options.hours : options.project.empty() ? 0 : measuredHours(options.project);
    const stats::PowerResult result = stats::planPower(plan);
    Json json{{"sd_ratio", number(plan.sdRatio)}, {"alpha", number(plan.alpha)}, {"power", number(plan.power)}, {"test", options.test}, {"arms", plan.arms},
              {"seeds", result.seeds ? Json(*result.seeds) : Json(nullptr)}, {"hours_per_run", plan.hoursPerRun > 0 ? number(plan.hoursPerRun) : Json(nullptr)},
              {"device_hours", result.gpuHours && plan.hoursPerRun > 0 ? number(*result.gpuHours) : Json(nullptr)}, {"curve", Json::array()}};
    std::string text = "power of " + options.test + " at α = " + formatDouble(plan.alpha) + " for an SD ratio of " + formatDouble(plan.sdRatio) + ", two arms of normal scores, " + std::to_string(plan.simulations) + " simulations\n";
    for (const stats::PowerPoint& point : result.curve) {
        json["curve"].push_back({{"seeds", point.seeds}, {"power", number(point.power)}, {"error", number(point.error)}});
        text += std::to_string(point.seeds) + " seeds an arm: " + formatFixed(100 * point.power, 1) + " ± " + formatFixed(100 * point.error, 1) + " %\n";
    }
    text += result.seeds ? std::to_string(*result.seeds) + " seeds an arm reach " + formatFixed(100 * plan.power, 0) + " %" : "not reached within " + std::to_string(plan.maxSeeds) + " seeds an arm";
    if (result.gpuHours && plan.hoursPerRun > 0)
        text += "; " + shortNumber(*result.gpuHours, 3) + " device-hours at " + shortNumber(plan.hoursPerRun, 3) + " hours a run";
    return {json, text + "\n"};
}

Output statistics(const StatsOptions& options)
{
    if (options.plan != 0)
        return planned(options);
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
    addNumber(verb, "--plan", options->plan, "seeds needed to see this ratio of two arms' SDs, in place of the table; with PROJECT also the hours, at its measured speed");
    addNumber(verb, "--alpha", options->alpha, "of the plan");
    addNumber(verb, "--power", options->power, "of the plan");
    verb->add_option("--test", options->test, "of the plan")->check(CLI::IsMember({"brown-forsythe", "levene", "fligner-killeen"}))->capture_default_str();
    addNumber(verb, "--hours", options->hours, "of one run, in place of the measured ones");
    verb->add_flag("--csv", options->csv, "tidy CSV on standard output");
    verb->add_flag("--latex", options->latex, "booktabs tables on standard output");
}

}  // namespace holo::cli
