#include "app/cli/eval_options.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <CLI/CLI.hpp>

#include "app/cli/text_table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::cli {

namespace {

std::vector<double> depthsOf(const Json& rows)
{
    std::vector<double> depths;
    for (const Json& row : rows)
        if (const double depth = toDouble(row["depth"], "depth"); std::find(depths.begin(), depths.end(), depth) == depths.end())
            depths.push_back(depth);
    std::sort(depths.begin(), depths.end());
    return depths;
}

std::vector<std::int64_t> lengthsOf(const Json& rows)
{
    std::vector<std::int64_t> lengths;
    for (const Json& row : rows)
        if (const auto length = row["length"].get<std::int64_t>(); std::find(lengths.begin(), lengths.end(), length) == lengths.end())
            lengths.push_back(length);
    std::sort(lengths.begin(), lengths.end());
    return lengths;
}

std::string gridText(const std::vector<double>& depths, const std::vector<std::int64_t>& lengths, const std::function<std::string(std::size_t depth, std::size_t length)>& cell)
{
    std::vector<std::string> header{"depth"};
    for (const std::int64_t length : lengths)
        header.push_back(std::to_string(length));
    TextTable table(header);
    for (std::size_t depth = 0; depth < depths.size(); ++depth) {
        std::vector<std::string> line{formatDouble(depths[depth])};
        for (std::size_t length = 0; length < lengths.size(); ++length)
            line.push_back(cell(depth, length));
        table.add(line);
    }
    return table.text();
}

}  // namespace

std::vector<double> parseDepths(const std::string& text)
{
    const auto count = parseInt(text);
    if (!count || *count < 2)
        return count && *count == 1 && text == "1" ? std::vector<double>{1} : parseNumbers(text, "--depths");
    if (*count > 1000)
        throw Error(ErrorKind::Usage, "--depths is " + text + "; allowed: a number of depths up to 1000, or a list.", {"", "--depths", text, "2 to 1000, or a list of shares"});
    std::vector<double> depths;
    for (std::int64_t i = 0; i < *count; ++i)
        depths.push_back(double(i) / double(*count - 1));
    return depths;
}

run::CheckpointChoice EvalOptions::choice(const std::string& scheme) const
{
    return {checkpoint, scheme, data, device.device, device.precision, int(device.threads)};
}

eval::Options EvalOptions::settings(const run::CheckpointEvaluation& evaluation) const
{
    eval::Options settings = evaluation.options();
    if (!lengths.empty())
        settings.spec.lengths = lengths;
    if (!depths.empty())
        settings.spec.depths = parseDepths(depths);
    if (trials > 0)
        settings.spec.trials = int(trials);
    if (seed >= 0)
        settings.spec.seed = seed;
    if (!templateFile.empty())
        settings.spec.templateFile = std::filesystem::absolute(templateFile).lexically_normal().string();
    settings.dumpPrompts = dumpPrompts;
    settings.controls = !noControls;
    return settings;
}

void addEvalOptions(CLI::App* verb, EvalOptions& options)
{
    addIntegers(verb, "--lengths", options.lengths, "prompt lengths in tokens (default: as the run)");
    verb->add_option("--depths", options.depths, "how many depths from 0 to 1, or a list of them (default: as the run)");
    addInteger(verb, "--trials", options.trials, "prompts a cell (default: as the run)", 1);
    addInteger(verb, "--seed", options.seed, "seed of the prompts (default: as the run)");
    verb->add_option("--data", options.data, "evaluate on these sources instead of the run's")->allow_extra_args(false);
    verb->add_option("--template", options.templateFile, "JSON file with the wording of needle and question");
    verb->add_option("--out", options.out, "folder for summary.json and trials.jsonl (default: evals/… of the run)");
    verb->add_flag("--no-write", options.noOut, "print only");
    verb->add_flag("--dump-prompts", options.dumpPrompts, "write the ids of every prompt into trials.jsonl");
    verb->add_flag("--no-controls", options.noControls, "leave out the prompts without needle, with shuffled filler and with another key");
    addDevice(verb, options.device);
}

std::string heatmapText(const model::NeedleGrid& grid)
{
    static const char* const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return gridText(grid.depths, grid.lengths, [&](std::size_t depth, std::size_t length) -> std::string {
        const auto& cell = grid.at(depth, length);
        if (!cell || std::isnan(cell->accuracy))
            return "–";
        return formatFixed(100 * cell->accuracy, 0) + " % " + blocks[std::clamp(int(cell->accuracy * 8), 0, 7)];
    });
}

std::string differenceText(const Json& rows)
{
    const auto depths = depthsOf(rows);
    const auto lengths = lengthsOf(rows);
    return gridText(depths, lengths, [&](std::size_t depth, std::size_t length) -> std::string {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& r) { return r["length"] == lengths[length] && toDouble(r["depth"], "depth") == depths[depth]; });
        if (row == rows.end())
            return "–";
        const double delta = toDouble((*row)["delta"], "delta");
        const bool sure = (*row)["p_mcnemar"].is_number() && (*row)["p_mcnemar"].get<double>() < .05;
        return (delta > 0 ? "+" : "") + formatFixed(100 * delta, 0) + (sure ? " *" : "  ");
    });
}

}  // namespace holo::cli
