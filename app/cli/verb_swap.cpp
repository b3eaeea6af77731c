#include <CLI/CLI.hpp>

#include "app/cli/eval_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::cli {

namespace {

struct Options {
    EvalOptions shared;
    std::string to;
    std::string heads = "special";
    std::vector<std::int64_t> layers;
    std::string planes;
    std::string sweep;
};

std::string percent(const Json& value)
{
    return value.is_null() ? "–" : formatFixed(100 * toDouble(value, "share"), 1) + " %";
}

std::string swapText(const Json& json)
{
    std::string text = "heads swapped: " + std::to_string(json["heads"].size()) + "\nafter − before in points, by depth (down) and length (across); * exact McNemar p < .05\n" + differenceText(json["difference"]);
    const Json& mean = json["mean"];
    text += "mean " + percent(mean["before"]) + " → " + percent(mean["after"]) + ", p " + (mean["p_mcnemar"].is_null() ? "–" : shortNumber(toDouble(mean["p_mcnemar"], "p"), 3)) + "\n";
    const Json& perplexity = json["perplexity"];
    if (!perplexity["before"].is_null())
        text += "perplexity " + shortNumber(toDouble(perplexity["before"], "ppl")) + " → " + shortNumber(toDouble(perplexity["after"], "ppl")) + " at " + perplexity["length"].dump() + " tokens\n";
    if (!json.contains("sweep"))
        return text;
    TextTable table({"swapped alone", "exact after", "difference", "p"});
    for (const Json& row : json["sweep"]["rows"]) {
        std::string label;
        for (const char* key : {"layer", "head", "plane", "lambda"})
            if (row.contains(key))
                label += std::string(label.empty() ? "" : ", ") + (std::string(key) == "lambda" ? "λ" : key) + " " + row[key].dump();
        table.add({label, percent(row["exact_after"]), percent(row["delta"]), row["p_mcnemar"].is_null() ? "–" : shortNumber(toDouble(row["p_mcnemar"], "p"), 3)});
    }
    return text + "\n" + table.text();
}

eval::SwapOptions swapOptions(const Options& options)
{
    eval::SwapOptions swap;
    swap.heads = options.heads;
    swap.sweep = options.sweep;
    for (const std::int64_t layer : options.layers)
        swap.layers.push_back(int(layer));
    if (!options.planes.empty()) {
        const auto parts = split(options.planes, ':');
        const auto first = parseInt(parts.front());
        const auto last = parts.size() == 2 ? parseInt(parts.back()) : std::nullopt;
        if (!first || !last)
            throw Error(ErrorKind::Usage, "--planes is " + options.planes + "; allowed: A:B, planes A to B − 1.", {"", "--planes", options.planes, "A:B"});
        swap.planes = {int(*first), int(*last)};
    }
    return swap;
}

Output swapScheme(const Options& options, const Context& context)
{
    eval::SwapOptions swap = swapOptions(options);
    run::CheckpointEvaluation evaluation(options.shared.choice({}));
    swap.eval = options.shared.settings(evaluation);
    swap.eval.schemeRun = evaluation.schemeJson(options.to);
    if (!options.shared.noOut) {
        eval::Options named = swap.eval;
        named.perplexityMode = options.heads + ";" + options.planes + ";" + options.sweep + ";" + dumpLine(Json(options.layers));
        swap.eval.out = options.shared.out.empty() ? evaluation.folderFor("swap", named) : options.shared.out;
    }
    ProgressLine line(!context.quiet);
    swap.eval.progress = [&](double share) {
        line.show(run::Progress{evaluation.header().step, 0, 0, 0, "swap", share});
        return true;
    };
    const Json json = evaluation.swap(options.to, swap);
    line.end();
    std::string text = evaluation.header().run + ", step " + std::to_string(evaluation.header().step) + ": " + dumpLine(swap.eval.schemeTrained) + " → " + dumpLine(swap.eval.schemeRun) + "\n" + swapText(json);
    if (!swap.eval.out.empty())
        text += "written to " + swap.eval.out.string() + "\n";
    return {json, text, json.value("cells_not_run", 0) > 0 ? exitCode(ErrorKind::Partial) : 0};
}

}  // namespace

void addSwapVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<Options>();
    CLI::App* verb = addVerb(app, context, "swap", "the same weights under another positional scheme, on the same prompts", "holonomy swap tiny/runs/RUN --to standard --heads special",
                             [options, &context] { return swapScheme(*options, context); });
    verb->add_option("CHECKPOINT", options->shared.checkpoint, "run folder, step-N folder or model file")->required();
    verb->add_option("--to", options->to, "positional scheme to swap to")->required();
    verb->add_option("--heads", options->heads, "special, all or L:H,… (* for any)")->capture_default_str();
    addIntegers(verb, "--layers", options->layers, "only in these layers");
    verb->add_option("--planes", options->planes, "A:B: only planes A to B − 1 of the chosen heads");
    verb->add_option("--sweep", options->sweep, "swap one at a time as well: planes, heads, layers or lambda")->check(CLI::IsMember({"planes", "heads", "layers", "lambda"}));
    addEvalOptions(verb, options->shared);
}

}  // namespace holo::cli
