#include "app/cli/analyze_heads.h"

#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/json_value.h"
#include "core/base/text.h"
#include "core/eval/head_analysis.h"
#include "core/run/evaluate_checkpoint.h"

namespace holo::cli {

namespace {

struct HeadOptions {
    std::string checkpoint;
    std::string scheme;
    std::vector<std::string> data;
    std::int64_t length = 0;
    std::int64_t windows = 8;
    std::int64_t tokens = 1000;
    std::int64_t seed = 0;
    DeviceOptions device;
};

std::string percent(double share) { return formatFixed(100 * share, 1) + " %"; }

run::CheckpointEvaluation opened(const HeadOptions& options)
{
    return run::CheckpointEvaluation({options.checkpoint, options.scheme, options.data, options.device.device, options.device.precision, int(options.device.threads)});
}

Json documentHead(const char* analysis, const run::CheckpointEvaluation& evaluation)
{
    const eval::Options record = evaluation.options();
    return {{"format", 1}, {"analysis", analysis}, {"run", evaluation.header().run}, {"step", evaluation.header().step}, {"checkpoint", record.checkpoint},
            {"scheme_trained", record.schemeTrained}, {"scheme_run", record.schemeRun}};
}

std::string titleOf(const run::CheckpointEvaluation& evaluation)
{
    return evaluation.header().run + ", step " + std::to_string(evaluation.header().step) + ", run with " + dumpLine(evaluation.options().schemeRun) + "\n";
}

eval::HeadAnalysisOptions settingsOf(const HeadOptions& options, ProgressLine& line, const char* what)
{
    return {options.length, options.windows, [&line, what](double share) {
                line.show(std::string(what) + " " + formatFixed(100 * share, 0) + " %");
                return true;
            }};
}

Output means(const HeadOptions& options, const Context&)
{
    run::CheckpointEvaluation evaluation = opened(options);
    const model::LaneMeanMap map = eval::laneMeans(evaluation.subject().model, options.tokens, std::uint64_t(options.seed));
    Json document = documentHead("means", evaluation);
    document["tokens"] = map.tokens;
    document["seed"] = options.seed;
    TextTable table({"layer", "head", "mean |q|", "mean |k|", "undertrained over trained lanes"});
    for (const auto& [key, rows] : {std::pair("layers", &map.layers), std::pair("heads", &map.heads)}) {
        document[key] = Json::array();
        for (const model::LaneMeans& row : *rows) {
            Json json{{"layer", row.layer}};
            if (row.head >= 0)
                json["head"] = row.head;
            json.update({{"query", numbers(row.query)}, {"key", numbers(row.key)}, {"undertrained_ratio", std::isnan(row.undertrainedRatio) ? Json() : number(row.undertrainedRatio)}});
            document[key].push_back(std::move(json));
            const auto mean = [](const std::vector<double>& values) {
                double sum = 0;
                for (const double v : values)
                    sum += v / double(values.size());
                return shortNumber(sum, 4);
            };
            table.add({std::to_string(row.layer), row.head < 0 ? "all" : std::to_string(row.head), mean(row.query), mean(row.key), shortNumber(row.undertrainedRatio, 4)});
        }
    }
    return {std::move(document), titleOf(evaluation) + "means over " + std::to_string(map.tokens) + " random tokens of q and k before the rotation, by lane with --json\n" + table.text()};
}

Output spectrum(const HeadOptions& options, const Context& context)
{
    run::CheckpointEvaluation evaluation = opened(options);
    evaluation.checkPrompt(options.length > 0 ? options.length : evaluation.header().spec.model.context, true);
    ProgressLine line(!context.quiet);
    const eval::SwapModel subject = evaluation.subject();
    const model::ScoreSpectra spectra = eval::scoreSpectra(subject.model, subject.trained, evaluation.corpus(), settingsOf(options, line, "spectrum"));
    line.end();
    Json document = documentHead("spectrum", evaluation);
    document.update({{"length", spectra.length}, {"windows", spectra.windows}, {"points", spectra.points}, {"half_width", number(spectra.halfWidth)}, {"heads", Json::array()}});
    TextTable table({"layer", "head", "ladder", "score at 0", "leakage", "strongest plane", "θ", "turns", "its leakage"});
    for (const model::HeadSpectrum& head : spectra.heads) {
        Json planes = Json::array();
        const model::PlaneLine* strongest = nullptr;
        std::size_t index = 0;
        for (std::size_t j = 0; j < head.planes.size(); ++j) {
            const model::PlaneLine& plane = head.planes[j];
            planes.push_back({{"theta", number(plane.theta)}, {"turns", number(plane.turns)}, {"power", number(plane.power)}, {"at_theta", number(plane.atTheta)}, {"leakage", number(plane.leakage)}});
            if (!strongest || plane.power > strongest->power) {
                strongest = &plane;
                index = j;
            }
        }
        document["heads"].push_back({{"layer", head.layer}, {"head", head.head}, {"ladder", head.ladder}, {"score", numbers(head.score)}, {"omega", numbers(head.omegas)}, {"power", numbers(head.power)},
                                     {"leakage", number(head.leakage)}, {"planes", std::move(planes)}});
        table.add({std::to_string(head.layer), std::to_string(head.head), head.ladder, shortNumber(head.score.front(), 4), percent(head.leakage), strongest ? std::to_string(index) : "–",
                   strongest ? shortNumber(strongest->theta, 4) : "–", strongest ? shortNumber(strongest->turns, 4) : "–", strongest ? percent(strongest->leakage) : "–"});
    }
    return {std::move(document), titleOf(evaluation) + "scores over Δ = 0 … " + std::to_string(spectra.points - 1) + " averaged over pairs of " + std::to_string(spectra.windows) + " windows of " + std::to_string(spectra.length)
                + " tokens; leakage: share of the power farther than " + shortNumber(spectra.halfWidth, 3) + " rad/token from every own θ\n" + table.text()};
}

Output holonomyOf(const HeadOptions& options, const Context& context)
{
    run::CheckpointEvaluation evaluation = opened(options);
    evaluation.checkPrompt(options.length > 0 ? options.length : evaluation.header().spec.model.context, true);
    ProgressLine line(!context.quiet);
    const eval::SwapModel subject = evaluation.subject();
    const model::HolonomyMap map = eval::headHolonomy(subject.model, subject.trained, evaluation.corpus(), settingsOf(options, line, "holonomy"));
    line.end();
    Json document = documentHead("holonomy", evaluation);
    document.update({{"context", map.context}, {"length", map.length}, {"windows", map.windows}, {"heads", Json::array()}});
    TextTable table({"layer", "head", "ladder", "boundary", "holonomy, weighted", "anti-periodic residual", "periodic residual"});
    for (const model::HeadHolonomy& head : map.heads) {
        document["heads"].push_back({{"layer", head.layer}, {"head", head.head}, {"ladder", head.ladder}, {"boundary", head.boundary}, {"holonomy_mean", number(head.ladderMean)},
                                     {"holonomy_weighted", {number(head.weighted.real()), number(head.weighted.imag())}}, {"anti_periodic", number(head.antiPeriodic)}, {"periodic", number(head.periodic)}});
        table.add({std::to_string(head.layer), std::to_string(head.head), head.ladder, head.boundary,
                   formatFixed(head.weighted.real(), 3) + (head.weighted.imag() < 0 ? " - " : " + ") + formatFixed(std::abs(head.weighted.imag()), 3) + "i", shortNumber(head.antiPeriodic, 4), shortNumber(head.periodic, 4)});
    }
    return {std::move(document), titleOf(evaluation) + "scores at Δ and Δ + N over pairs of " + std::to_string(map.windows) + " windows of " + std::to_string(map.length)
                + " tokens; residual 0: s(Δ+N) = ∓s(Δ), 1: unrelated, 1.414: the opposite\n" + table.text()};
}

CLI::App* addHeadAnalysis(CLI::App& analyze, Context& context, const std::string& name, const std::string& description, const std::string& example,
                          Output (*action)(const HeadOptions&, const Context&), const std::shared_ptr<HeadOptions>& options)
{
    CLI::App* verb = addVerb(analyze, context, name, description, example, [options, action, &context] { return action(*options, context); });
    verb->add_option("CHECKPOINT", options->checkpoint, "run folder, step-N folder or model file")->required();
    verb->add_option("--scheme", options->scheme, "positional scheme to run with (default: as trained)");
    addDevice(verb, options->device);
    return verb;
}

void addWindows(CLI::App* verb, HeadOptions& options)
{
    addInteger(verb, "--length", options.length, "tokens of a window (default: the training context; holonomy: at most 256)", 4);
    addInteger(verb, "--windows", options.windows, "windows of the validation part, at most (default: 8)", 1);
    verb->add_option("--data", options.data, "take windows from these sources instead of the run's")->allow_extra_args(false);
}

}  // namespace

void addHeadAnalyses(CLI::App& analyze, Context& context)
{
    const auto forMeans = std::make_shared<HeadOptions>();
    CLI::App* verb = addHeadAnalysis(analyze, context, "means", "means of q and k by layer, head and lane on random tokens", "holonomy analyze means tiny/runs/RUN --tokens 1000 --json", means, forMeans);
    addInteger(verb, "--tokens", forMeans->tokens, "random tokens (default: 1000)", 2);
    addInteger(verb, "--seed", forMeans->seed, "of the tokens");

    const auto forSpectrum = std::make_shared<HeadOptions>();
    addWindows(addHeadAnalysis(analyze, context, "spectrum", "measured scores of each head by distance, their spectrum and leakage", "holonomy analyze spectrum tiny/runs/RUN --windows 16", spectrum, forSpectrum), *forSpectrum);

    const auto forHolonomy = std::make_shared<HeadOptions>();
    addWindows(addHeadAnalysis(analyze, context, "holonomy", "what becomes of each head's scores after one trip round the context", "holonomy analyze holonomy tiny/runs/RUN", holonomyOf, forHolonomy), *forHolonomy);
}

}  // namespace holo::cli
