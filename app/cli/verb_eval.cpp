#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/eval_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/eval/output_score.h"

namespace holo::cli {

namespace {

struct Options {
    EvalOptions shared;
    std::string protocol = "needle";
    std::string scheme;
    std::string mode = "blocks";
    std::int64_t stride = 0;
    std::string score;
};

std::string percent(const Json& value)
{
    return value.is_null() ? "–" : formatFixed(100 * toDouble(value, "share"), 1) + " %";
}

std::string digits(const Json& value)
{
    return value.is_null() ? "–" : shortNumber(toDouble(value, "number"));
}

std::string needleText(const Json& json)
{
    std::int64_t trials = 0;
    for (const Json& cell : json["cells"])
        trials = std::max(trials, cell["trials"].get<std::int64_t>());
    std::string text = "exact match of " + std::to_string(trials) + " prompts a cell, by depth (down) and length in tokens (across)\n" + heatmapText(model::needleGrid(json, "the evaluation"));
    text += "mean " + percent(json["mean"]) + ", chance " + percent(json["chance"]) + "\n";
    double meanOff = 0;
    double worstOff = 0;
    for (const Json& cell : json["cells"])
        if (!cell["depth_real"].is_null()) {
            meanOff = std::max(meanOff, std::abs(toDouble(cell["depth_real"], "depth_real") - toDouble(cell["depth"], "depth")));
            worstOff = std::max(worstOff, toDouble(cell["depth_off_max"], "depth_off_max"));
        }
    text += "depth, real against wished: cell means within " + formatFixed(100 * meanOff, 1) + " points, single needles within " + formatFixed(100 * worstOff, 1) + "\n";
    if (json.contains("controls")) {
        const Json& controls = json["controls"];
        text += "controls: without needle " + percent(controls["no_needle"]["exact"]) + ", shuffled filler " + percent(controls["shuffled_filler"]["exact"]) + ", needle gain " +
                digits(controls["needle_gain"]) + " nats\n";
    }
    return text;
}

std::string passkeyText(const Json& json)
{
    TextTable table({"length", "trials", "exact", "generated", "contains", "agree", "nll"});
    for (const Json& row : json["rows"])
        table.add({row["length"].dump(), row["trials"].dump(), percent(row["exact"]), percent(row.value("generated_exact", Json())), percent(row.value("generated_contains", Json())), percent(row.value("generated_agrees", Json())), digits(row["nll"])});
    return table.text();
}

std::string perplexityText(const Json& json)
{
    TextTable table({"length", "tokens", "nll", "perplexity"});
    for (const Json& row : json["rows"])
        table.add({row["length"].dump(), row["tokens"].dump(), digits(row["nll"]), digits(row["ppl"])});
    TextTable positions({"tokens before", "nll", "tokens"});
    for (const Json& row : json["by_position"])
        positions.add({row["lo"].dump() + "–" + std::to_string(row["hi"].get<std::int64_t>() - 1), digits(row["nll"]), row["tokens"].dump()});
    return table.text() + "\n" + positions.text();
}

std::string probeText(const Json& json)
{
    std::string text;
    for (const Json& length : json["lengths"]) {
        TextTable table({"layer", "head", "ladder", "distance", "entropy share", "first token", "end to end", "K/M there", "induction"});
        for (const Json& head : length["heads"])
            table.add({head["layer"].dump(), head["head"].dump(), head["ladder"].get<std::string>(), digits(head["distance"]), percent(head["entropy_share"]), percent(head["first"]), percent(head["ends"]),
                       digits(head["ends_kernel"]), percent(head["induction"])});
        text += length["length"].dump() + " tokens, " + length["windows"].dump() + " windows; even weights: " + percent(length["ends_even"]) + " end to end\n" + table.text();
    }
    return text;
}

std::string textOf(const std::string& protocol, const Json& json)
{
    if (protocol == "perplexity")
        return perplexityText(json);
    if (protocol == "passkey")
        return passkeyText(json);
    return protocol == "probe" ? probeText(json) : needleText(json);
}

Output scored(const std::string& file)
{
    const Json json = eval::scoreOutputs(file);
    return {json, "exact " + percent(json["exact"]) + ", contains " + percent(json["contains"]) + " of " + json["trials"].dump() + " outputs\n"};
}

Output evaluate(const Options& options, const Context& context)
{
    if (!options.score.empty()) {
        if (!options.shared.checkpoint.empty())
            throw Error(ErrorKind::Usage, "eval scores a file or evaluates a checkpoint; both are given.", {"", "--score", options.score, "one of both"});
        return scored(options.score);
    }
    if (options.shared.checkpoint.empty())
        throw Error(ErrorKind::Usage, "eval needs a CHECKPOINT or --score FILE.", {"", "CHECKPOINT", "nothing", "a run folder, a step-N folder, a model file"});
    run::CheckpointEvaluation evaluation(options.shared.choice(options.scheme));
    eval::Options settings = options.shared.settings(evaluation);
    settings.perplexityMode = options.mode;
    settings.stride = options.stride;
    if (!options.shared.noOut)
        settings.out = options.shared.out.empty() ? evaluation.folderFor(options.protocol, settings) : options.shared.out;
    ProgressLine line(!context.quiet);
    settings.progress = [&](double share) {
        line.show(run::Progress{evaluation.header().step, 0, 0, 0, options.protocol, share});
        return true;
    };
    const Json json = evaluation.evaluate(options.protocol, settings);
    line.end();
    std::string text = evaluation.header().run + ", step " + std::to_string(evaluation.header().step) + ", run with " + dumpLine(settings.schemeRun) + "\n";
    text += textOf(options.protocol, json);
    if (!settings.out.empty())
        text += "written to " + settings.out.string() + "\n";
    return {json, text, json.value("cells_not_run", 0) > 0 ? exitCode(ErrorKind::Partial) : 0};
}

}  // namespace

void addEvalVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<Options>();
    CLI::App* verb = addVerb(app, context, "eval", "retrieval and perplexity of a checkpoint, by length, depth and distance",
                             "holonomy eval tiny/runs/RUN --protocol needle --lengths 128,256 --depths 11 --trials 50", [options, &context] { return evaluate(*options, context); });
    verb->add_option("CHECKPOINT", options->shared.checkpoint, "run folder, step-N folder or model file");
    verb->add_option("--protocol", options->protocol, "needle, passkey, perplexity or probe")->capture_default_str();
    verb->add_option("--scheme", options->scheme, "positional scheme to run with (default: as trained)");
    verb->add_option("--mode", options->mode, "perplexity: blocks, sliding, truncated or tail")->capture_default_str();
    addInteger(verb, "--stride", options->stride, "perplexity: tokens between sliding windows, or scored in a tail");
    verb->add_option("--score", options->score, "score given outputs: JSON lines {\"expected\": [\"…\"], \"output\": \"…\"}");
    addEvalOptions(verb, options->shared);
}

}  // namespace holo::cli
