#include "app/cli/analyze_plan.h"

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/interop/safetensors.h"
#include "core/ladder/frequencies.h"
#include "core/ladder/holonomy.h"
#include "core/ladder/kernel.h"
#include "core/ladder/mean_score.h"
#include "core/ladder/phase_table.h"
#include "core/ladder/plan_kernel.h"
#include "core/ladder/two_plane_toy.h"
#include "core/run/checkpoint_header.h"
#include "core/run/continuation.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultPoints = 512;
constexpr std::size_t kTextRows = 16;

struct PlanOptions {
    SchemeOptions scheme;
    std::int64_t length = 0;
    std::vector<std::int64_t> deltas;
    std::vector<double> mus{0, 0.1, 1};
    std::int64_t samples = 1000;
};

struct Subject {
    ladder::Plan plan;
    Json scheme;
};

// SCHEME with the shape options, or the scheme and shape that a checkpoint was trained with.
Subject subjectOf(const SchemeOptions& options)
{
    std::error_code ec;
    const fs::path path = options.scheme;
    ladder::ModelShape shape = options.shape();
    ladder::Scheme scheme;
    if (fs::is_directory(path, ec) || path.extension() == ".safetensors") {
        const auto file = run::modelFileOf(path);
        const auto header = file ? run::readCheckpointHeader(interop::SafetensorsFile::open(*file)) : std::nullopt;
        if (!header)
            throw Error::at(ErrorKind::Unsupported, {path.string(), "CHECKPOINT", "no checkpoint of ours", "a run folder, a step-N folder or a model file; import others first"});
        scheme = header->spec.scheme;
        shape = run::shapeOf(*header);
    } else {
        scheme = config::parseScheme(options.scheme);
    }
    return {ladder::resolve(scheme, shape), config::toJson(config::resolvedScheme(scheme, shape))};
}

Json documentHead(const char* analysis, const Subject& subject)
{
    Json heads = Json::array();
    for (const auto& row : subject.plan.heads) {
        Json list = Json::array();
        for (const ladder::HeadAssignment& head : row)
            list.push_back(head.ladder);
        heads.push_back(std::move(list));
    }
    return {{"format", 1}, {"analysis", analysis}, {"scheme", subject.scheme}, {"context", subject.plan.shape.context}, {"heads", std::move(heads)}};
}

std::vector<std::int64_t> deltasOf(const PlanOptions& options, const ladder::Plan& plan)
{
    const std::int64_t context = plan.shape.context;
    return options.deltas.empty() ? ladder::distances(0, context, std::max<std::int64_t>(1, context / kDefaultPoints)) : options.deltas;
}

// One row a distance, at most kTextRows of them evenly chosen; one column a curve.
std::string curvesText(const std::vector<std::int64_t>& deltas, const std::vector<std::pair<std::string, std::vector<double>>>& curves)
{
    std::vector<std::string> header{"Δ"};
    for (const auto& [name, values] : curves)
        header.push_back(name);
    TextTable table(header);
    const std::size_t rows = std::min(deltas.size(), kTextRows);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t i = rows > 1 ? r * (deltas.size() - 1) / (rows - 1) : 0;
        std::vector<std::string> line{std::to_string(deltas[i])};
        for (const auto& [name, values] : curves)
            line.push_back(formatFixed(values[i], 6));
        table.add(line);
    }
    const std::string note = deltas.size() > rows ? std::to_string(rows) + " of " + std::to_string(deltas.size()) + " distances; all of them with --json\n" : "";
    return table.text() + note;
}

// "ladder 0 (mobius), 6 of 24 heads" …
std::string laddersText(const ladder::Plan& plan)
{
    std::vector<int> uses(plan.ladders.size(), 0);
    int heads = 0;
    for (const auto& row : plan.heads)
        for (const ladder::HeadAssignment& head : row) {
            ++uses[std::size_t(head.ladder)];
            ++heads;
        }
    std::string text;
    for (std::size_t i = 0; i < uses.size(); ++i)
        text += "ladder " + std::to_string(i) + ": " + plan.ladders[i].name + ", N = " + std::to_string(plan.ladders[i].context) + ", on " + std::to_string(uses[i]) + " of " + std::to_string(heads) + " heads\n";
    return text;
}

Output kernelOf(const PlanOptions& options)
{
    const Subject subject = subjectOf(options.scheme);
    const ladder::PlanKernel kernel = ladder::planKernel(subject.plan, deltasOf(options, subject.plan), options.length);
    Json document = documentHead("kernel", subject);
    document["delta"] = kernel.deltas;
    for (const auto& [key, curves] : {std::pair("ladders", &kernel.ladders), std::pair("layers", &kernel.layers)}) {
        document[key] = Json::array();
        for (const auto& curve : *curves)
            document[key].push_back(numbers(curve));
    }
    document["mean"] = numbers(kernel.mean);
    std::vector<std::pair<std::string, std::vector<double>>> columns;
    for (std::size_t i = 0; i < kernel.ladders.size(); ++i)
        columns.emplace_back("ladder " + std::to_string(i), kernel.ladders[i]);
    if (kernel.ladders.size() > 1 && kernel.layers.size() > 1)
        for (std::size_t i = 0; i < kernel.layers.size(); ++i)
            columns.emplace_back("layer " + std::to_string(i), kernel.layers[i]);
    if (kernel.ladders.size() > 1)
        columns.emplace_back("mean", kernel.mean);
    return {std::move(document), "c(Δ) = K(Δ)/M\n" + laddersText(subject.plan) + curvesText(kernel.deltas, columns)};
}

bool dependsOnDistanceAlone(const ladder::Ladder& ladder)
{
    return !ladder.fourier && ladder.damping.empty() && ladder.positionPeriod == 0 && ladder.keptPositions == 0;
}

Output scoresOf(const PlanOptions& options)
{
    if (options.samples < 1 || options.samples > 10'000'000)
        throw Error::at(ErrorKind::Usage, {"", "--samples", std::to_string(options.samples), "1 to 10000000"});
    const Subject subject = subjectOf(options.scheme);
    const ladder::Plan& plan = subject.plan;
    const auto deltas = deltasOf(options, plan);
    Json document = documentHead("scores", subject);
    document["delta"] = deltas;
    document["samples"] = options.samples;
    document["means"] = Json::array();
    const bool sampled = std::all_of(plan.ladders.begin(), plan.ladders.end(), dependsOnDistanceAlone);
    std::vector<std::pair<std::string, std::vector<double>>> columns;
    for (const double mu : options.mus) {
        std::vector<std::vector<double>> expectations;
        std::vector<std::vector<double>> samples;
        for (const ladder::Ladder& ladder : plan.ladders) {
            expectations.push_back(ladder::expectedScore(ladder, deltas, mu));
            if (sampled)
                samples.push_back(ladder::sampledScore(ladder, deltas, mu, int(options.samples), std::uint64_t(options.scheme.seed)));
        }
        Json row{{"mu", number(mu)}, {"ladders", Json::array()}};
        for (std::size_t i = 0; i < expectations.size(); ++i)
            row["ladders"].push_back({{"expected", numbers(expectations[i])}, {"sampled", sampled ? numbers(samples[i]) : Json()}});
        const std::vector<double> expected = ladder::meanOverHeads(plan, expectations);
        row["expected"] = numbers(expected);
        columns.emplace_back("μ " + shortNumber(mu) + " expected", expected);
        if (sampled) {
            columns.emplace_back("sampled", ladder::meanOverHeads(plan, samples));
            row["sampled"] = numbers(columns.back().second);
        }
        document["means"].push_back(std::move(row));
    }
    std::string text = "mean score of q, k ~ N(μ, 1) on the rotated lanes, before 1/√d, mean over heads: μ²·2·Σ cos θΔ, and the mean of " + std::to_string(options.samples) + " samples\n";
    if (!sampled)
        text += "not sampled, since a table of this plan depends on more than the distance\n";
    return {std::move(document), text + curvesText(deltas, columns)};
}

Output turnsOf(const PlanOptions& options)
{
    const Subject subject = subjectOf(options.scheme);
    Json document = documentHead("turns", subject);
    document["ladders"] = Json::array();
    std::string text;
    for (std::size_t i = 0; i < subject.plan.ladders.size(); ++i) {
        const ladder::Ladder& ladder = subject.plan.ladders[i];
        const std::int64_t context = ladder.context > 0 ? ladder.context : subject.plan.shape.context;
        const std::vector<double> theta = ladder::thetaAtLength(ladder, options.length > 0 ? options.length : context);
        const std::vector<int> undertrained = ladder::undertrainedPlanes(theta, context);
        const ladder::TurnHistogram histogram = ladder::turnHistogram(theta, context);
        Json bins = Json::array();
        TextTable table({"turns in N", "planes", ""});
        if (histogram.still > 0)
            table.add({"none", std::to_string(histogram.still), std::string(std::size_t(histogram.still), '#')});
        for (std::size_t k = 0; k < histogram.counts.size(); ++k) {
            const double low = std::ldexp(1.0, histogram.firstOctave + int(k));
            bins.push_back({{"low", number(low)}, {"high", number(2 * low)}, {"planes", histogram.counts[k]}});
            table.add({shortNumber(low) + " to " + shortNumber(2 * low), std::to_string(histogram.counts[k]), std::string(std::size_t(histogram.counts[k]), '#')});
        }
        document["ladders"].push_back({{"name", ladder.name}, {"context", context}, {"theta", numbers(theta)}, {"turns", numbers(ladder::turns(theta, context))},
                                       {"undertrained", undertrained}, {"still", histogram.still}, {"histogram", std::move(bins)}});
        text += (i > 0 ? "\n" : "") + ladder.name + ", N = " + std::to_string(context) + ": " + std::to_string(undertrained.size()) + " of " + std::to_string(theta.size())
                + " planes undertrained (they turn, but less than once in N)";
        if (!undertrained.empty()) {
            std::vector<std::string> list;
            for (const int plane : undertrained)
                list.push_back(std::to_string(plane));
            text += ": " + join(list, ", ");
        }
        text += "\n" + table.text();
    }
    return {std::move(document), text};
}

Json spectrumJson(const ladder::Spectrum& spectrum) { return {{"omega", numbers(spectrum.omegas)}, {"power", numbers(spectrum.power)}}; }

Output toyOf(const ladder::ToySettings& settings, const std::vector<double>& frequencies)
{
    ladder::ToySettings own = settings;
    if (frequencies.size() != 2)
        throw Error::at(ErrorKind::Usage, {"", "--frequencies", std::to_string(frequencies.size()) + " numbers", "two"});
    own.omegas = {frequencies[0], frequencies[1]};
    const ladder::TwoPlaneToy toy = ladder::twoPlaneToy(own);
    Json document{{"format", 1}, {"analysis", "toy"}, {"frequencies", numbers(frequencies)}, {"length", own.length}, {"activation", own.activation}, {"mix", number(own.mix)},
                  {"gain", number(own.gain)}, {"seed", own.seed}, {"matched", numbers(toy.matched)}, {"curves", Json::array()}, {"planes", Json::array()}};
    TextTable planes({"plane", "own frequency", "linear mixing", "still", "harmonics"});
    const auto percent = [](double share) { return formatFixed(100 * share, 2) + " %"; };
    for (std::size_t j = 0; j < toy.planes.size(); ++j) {
        const ladder::ToyPlane& plane = toy.planes[j];
        document["planes"].push_back({{"power", number(plane.power)}, {"own", number(plane.own)}, {"other", number(plane.other)}, {"still", number(plane.still)},
                                      {"elsewhere", number(plane.elsewhere)}, {"spectrum", spectrumJson(plane.spectrum)}});
        planes.add({std::to_string(j), percent(plane.own), percent(plane.other), percent(plane.still), percent(plane.elsewhere)});
    }
    TextTable curves({"encoding", "error against matched", "correlation"});
    for (const ladder::ToyCurve& curve : toy.curves) {
        document["curves"].push_back({{"name", curve.name}, {"score", numbers(curve.score)}, {"error", number(curve.error)}, {"correlation", number(curve.correlation)}});
        curves.add({curve.name, percent(curve.error), formatFixed(curve.correlation, 4)});
    }
    return {std::move(document), "power of each plane behind the layer, by frequency\n" + planes.text() + "\nscores over Δ = 0 … " + std::to_string(toy.matched.size() - 1)
                + " against frequency-matched ones\n" + curves.text()};
}

CLI::App* addPlanAnalysis(CLI::App& analyze, Context& context, const std::string& name, const std::string& description, const std::string& example, Output (*action)(const PlanOptions&),
                          const std::shared_ptr<PlanOptions>& options)
{
    CLI::App* verb = addVerb(analyze, context, name, description, example, [options, action] { return action(*options); });
    addScheme(verb, options->scheme);
    verb->get_option("SCHEME")->description("positional scheme: KIND[:key=value,…], inline JSON or a JSON file; or a checkpoint, whose scheme and shape count");
    return verb;
}

void addToy(CLI::App& analyze, Context& context)
{
    const auto settings = std::make_shared<ladder::ToySettings>();
    const auto frequencies = std::make_shared<std::vector<double>>(std::vector<double>{1, 0.1});
    const auto seed = std::make_shared<std::int64_t>(0);
    CLI::App* verb = addVerb(analyze, context, "toy", "what one layer does to two frequencies, and what RoPE and FoPE make of it", "holonomy analyze toy --frequencies 1,0.1 --activation relu --length 512",
                             [settings, frequencies, seed] {
                                 settings->seed = std::uint64_t(*seed);
                                 return toyOf(*settings, *frequencies);
                             });
    addNumbers(verb, "--frequencies", *frequencies, "of both planes, rad/token (default: 1,0.1)");
    addInteger(verb, "--length", settings->length, "tokens (default: 512)", 1);
    verb->add_option("--activation", settings->activation, "none, relu, gelu, silu or tanh")->capture_default_str();
    addNumber(verb, "--mix", settings->mix, "how far the layer's matrix is from the identity (default: 1)");
    addNumber(verb, "--gain", settings->gain, "Xavier gain of FoPE's coefficients (default: 0.3)");
    addInteger(verb, "--seed", *seed, "of the matrix and the coefficients");
}

}  // namespace

void addPlanAnalyses(CLI::App& analyze, Context& context)
{
    const auto kernel = std::make_shared<PlanOptions>();
    CLI::App* verb = addPlanAnalysis(analyze, context, "kernel", "K(Δ)/M of a plan: per ladder, per layer, mean over heads",
                                     "holonomy analyze kernel hybrid:share=0.25,special=mobius --heads 12 --layers 2 --delta 0:512:32", kernelOf, kernel);
    addIntegers(verb, "--delta", kernel->deltas, "distances (default: 0 to the context)");
    addInteger(verb, "--length", kernel->length, "length of the sequence, where the ladder depends on it", 1);

    const auto scores = std::make_shared<PlanOptions>();
    verb = addPlanAnalysis(analyze, context, "scores", "mean score of random q and k around a mean", "holonomy analyze scores standard --context 2048 --mu 0,0.1,1 --samples 1000", scoresOf, scores);
    addIntegers(verb, "--delta", scores->deltas, "distances (default: 0 to the context)");
    addNumbers(verb, "--mu", scores->mus, "means of the entries (default: 0,0.1,1)");
    addInteger(verb, "--samples", scores->samples, "pairs of q and k (default: 1000)", 1);

    const auto turns = std::make_shared<PlanOptions>();
    verb = addPlanAnalysis(analyze, context, "turns", "turns of the planes in the training context, and the undertrained ones", "holonomy analyze turns standard --head-dim 128 --context 4096", turnsOf, turns);
    addInteger(verb, "--length", turns->length, "length of the sequence, where the ladder depends on it", 1);
    addToy(analyze, context);
}

}  // namespace holo::cli
