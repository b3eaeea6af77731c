#include <cmath>
#include <filesystem>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_value.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/eval/longrope_search.h"
#include "core/run/evaluate_checkpoint.h"
#include "core/run/stop_signals.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct SearchOptions {
    std::string checkpoint;
    eval::LongRopeSettings settings;
    std::int64_t generations = 40;
    std::int64_t population = 64;
    std::int64_t parents = 0;  // 0: half of the population
    std::int64_t mutations = 16;
    std::int64_t crossovers = 16;
    std::int64_t seed = 0;
    std::int64_t length = 0;   // 0: factor × context
    std::int64_t tokens = 16384;
    std::vector<std::string> data;
    fs::path out;
    bool restart = false;
    DeviceOptions device;
};

int asInt(std::int64_t value) { return int(std::min<std::int64_t>(value, 1 << 30)); }

eval::LongRopeSettings settingsOf(const SearchOptions& options)
{
    eval::LongRopeSettings settings = options.settings;
    settings.generations = asInt(options.generations);
    settings.population = asInt(options.population);
    settings.parents = asInt(options.parents > 0 ? options.parents : (options.population + 1) / 2);
    settings.mutations = asInt(options.mutations);
    settings.crossovers = asInt(options.crossovers);
    settings.seed = std::uint64_t(options.seed);
    return settings;
}

const ladder::Ladder& standardLadder(const ladder::Plan& plan, const std::string& checkpoint)
{
    const ladder::HeadAssignment& head = plan.heads.front().front();
    const ladder::Ladder& ladder = plan.ladders.front();
    if (plan.ladders.size() != 1 || !plan.isUniform() || ladder.kind != ladder::Kind::Standard || head.slope != 0 || head.window != 0 || head.form != ladder::AttentionForm::Softmax || plan.landmarkBlock > 0)
        throw Error::at(ErrorKind::Usage, {checkpoint, "scheme", plan.isUniform() ? ladder.name : "mixed", "a model whose heads all have the standard ladder"});
    return ladder;
}

// FILE holds the best scheme so far, FILE.state what the search needs to go on. Both change after a generation, never between.
class SearchFiles {
public:
    SearchFiles(fs::path out, Json identity)
        : m_out(std::move(out))
        , m_state(m_out.empty() ? fs::path() : fs::path(m_out.string() + ".state"))
        , m_identity(std::move(identity))
    {
    }

    // True if an earlier search goes on.
    bool takeUp(eval::LongRopeSearch& search, bool restart) const
    {
        std::error_code ec;
        if (m_out.empty() || restart)
            return false;
        if (!fs::exists(m_state, ec)) {
            if (fs::exists(m_out, ec))
                throw Error::at(ErrorKind::Usage, {m_out.string(), "--out", "there already, without the state of a search", "a new file, or --restart to replace it"});
            return false;
        }
        const Json json = readJsonFile(m_state);
        for (const auto& [key, value] : m_identity.items())
            if (const Json found = json.is_object() && json.contains("of") && json["of"].is_object() ? json["of"].value(key, Json()) : Json(); found != value)
                throw Error::at(ErrorKind::Usage, {m_state.string(), key, dumpLine(found), dumpLine(value) + " as asked for now, or --restart"});
        search.restore(json.value("search", Json()), m_state.string());
        return true;
    }

    void save(const eval::LongRopeSearch& search) const
    {
        if (m_out.empty())
            return;
        writeFileAtomic(m_out, dumpPretty(config::toJson(search.scheme(search.best()))));
        writeFileAtomic(m_state, dumpPretty({{"format", 1}, {"of", m_identity}, {"search", search.toJson()}}));
    }

private:
    fs::path m_out;
    fs::path m_state;
    Json m_identity;
};

std::string perplexityText(double nll) { return std::isfinite(nll) ? shortNumber(std::exp(nll), 6) : "none"; }

Json candidateJson(const eval::LongRopeCandidate& candidate)
{
    return {{"origin", candidate.origin}, {"nll", number(candidate.nll)}, {"ppl", number(std::exp(candidate.nll))}, {"kept", candidate.kept}, {"divisors", numbers(candidate.divisors)}};
}

Output resultOf(const eval::LongRopeSearch& search, const run::CheckpointEvaluation& evaluation, const SearchOptions& options, std::int64_t length, bool wasTakenUp)
{
    Json document{{"format", 1}, {"search", "longrope"}, {"run", evaluation.header().run}, {"step", evaluation.header().step}, {"factor", number(search.settings().factor)}, {"length", length},
                  {"tokens", options.tokens}, {"seed", search.settings().seed}, {"evaluated", search.evaluated()}, {"starts", Json::array()}, {"generations", Json::array()}};
    std::string text = evaluation.header().run + ", step " + std::to_string(evaluation.header().step) + ": perplexity at " + std::to_string(length) + " tokens\n";
    if (wasTakenUp)
        text += "an earlier search went on\n";
    TextTable starts({"start", "perplexity"});
    for (const eval::LongRopeCandidate& start : search.starts()) {
        document["starts"].push_back(candidateJson(start));
        starts.add({start.origin, perplexityText(start.nll)});
    }
    TextTable table({"generation", "best", "median", "evaluated"});
    for (const eval::LongRopeSearch::Generation& row : search.history()) {
        document["generations"].push_back({{"generation", row.generation}, {"ppl", number(std::exp(row.best))}, {"median", number(std::exp(row.median))}, {"evaluated", row.evaluated}});
        table.add({std::to_string(row.generation), perplexityText(row.best), perplexityText(row.median), std::to_string(row.evaluated)});
    }
    const ladder::Scheme scheme = search.scheme(search.best());
    document["best"] = candidateJson(search.best());
    document["scheme"] = config::toJson(scheme);
    document["out"] = options.out.empty() ? Json() : Json(options.out.string());
    std::vector<std::string> divisors;
    for (const double d : search.best().divisors)
        divisors.push_back(shortNumber(d, 4));
    text += starts.text() + "\n" + table.text() + "\nbest: " + perplexityText(search.best().nll) + " by " + search.best().origin + ", first " + std::to_string(search.best().kept) + " positions kept, divisors "
            + join(divisors, " ") + "\n";
    text += options.out.empty() ? "scheme  " + dumpLine(document["scheme"]) + "\n" : "written to " + options.out.string() + ", for --scheme\n";
    return {std::move(document), text};
}

Output searchLongRope(const SearchOptions& options, const Context& context)
{
    if (options.tokens < 1)
        throw Error::at(ErrorKind::Usage, {"", "--tokens", std::to_string(options.tokens), "1 or more"});
    run::CheckpointEvaluation evaluation({options.checkpoint, {}, options.data, options.device.device, options.device.precision, int(options.device.threads)});
    const eval::SwapModel subject = evaluation.subject();
    const ladder::ModelShape shape = subject.trained.shape;
    eval::LongRopeSearch search(settingsOf(options), standardLadder(subject.trained, options.checkpoint));
    const std::int64_t length = options.length > 0 ? options.length : std::int64_t(std::llround(options.settings.factor * double(shape.context)));
    if (length <= shape.context)
        throw Error::at(ErrorKind::Usage, {"", "--length", std::to_string(length), "more than " + std::to_string(shape.context) + ", the training context, where the searched divisors apply"});
    evaluation.checkPrompt(length, false);
    const SearchFiles files(options.out, {{"run", evaluation.header().run}, {"step", evaluation.header().step}, {"data", evaluation.corpus().hash()}, {"length", length}, {"tokens", options.tokens}});
    const bool wasTakenUp = files.takeUp(search, options.restart);

    eval::Options settings = evaluation.options();
    settings.spec.lengths = {length};
    settings.spec.perplexityTokens = options.tokens;
    run::installStopSignals();
    ProgressLine line(!context.quiet);
    const auto stopped = [&] {
        line.end();
        const std::string best = search.generation() < 0 ? "nothing is scored yet" : "best perplexity so far " + perplexityText(search.best().nll) + (options.out.empty() ? "" : " in " + options.out.string());
        return Error(ErrorKind::Interrupted, "The search was stopped after generation " + std::to_string(std::max(search.generation(), 0)) + "; " + best + (options.out.empty() ? "." : "; the same command goes on."));
    };
    while (search.generation() < 0 || !search.isDone()) {
        int scored = 0;
        search.advance([&](const eval::LongRopeCandidate& candidate) {
            if (run::stopRequested())
                throw stopped();
            line.show("generation " + std::to_string(search.generation() + 1) + " of " + std::to_string(search.settings().generations) + ", candidate " + std::to_string(++scored) + " of " + std::to_string(search.nextCount())
                      + (search.generation() < 0 ? "" : ", best " + perplexityText(search.best().nll)));
            subject.setPlan(ladder::resolve(search.scheme(candidate), shape));
            return toDouble(evaluation.evaluate("perplexity", settings)["rows"][0]["nll"], "nll");
        });
        files.save(search);
    }
    line.end();
    return resultOf(search, evaluation, options, length, wasTakenUp);
}

}  // namespace

void addSearchVerb(CLI::App& app, Context& context)
{
    CLI::App* search = addVerb(app, context, "search", "parameters of a scheme found on a trained model", "holonomy search longrope tiny/runs/RUN --factor 4 --out factors.json", nullptr);
    search->require_subcommand(1);
    const auto options = std::make_shared<SearchOptions>();
    CLI::App* verb = addVerb(*search, context, "longrope", "LongRoPE's divisors by evolution against perplexity (arXiv 2402.13753)",
                             "holonomy search longrope tiny/runs/RUN --factor 4 --generations 10 --population 32 --seed 1 --out factors.json", [options, &context] { return searchLongRope(*options, context); });
    verb->add_option("CHECKPOINT", options->checkpoint, "run folder, step-N folder or model file")->required();
    addNumber(verb, "--factor", options->settings.factor, "s, wanted context over the training context (default: 4)");
    addInteger(verb, "--generations", options->generations, "generations after the first population (default: 40)");
    addInteger(verb, "--population", options->population, "candidates kept (default: 64)", 4);
    addInteger(verb, "--parents", options->parents, "best candidates that have children (default: half of the population)", 2);
    addInteger(verb, "--mutations", options->mutations, "mutations a generation (default: 16)");
    addInteger(verb, "--crossovers", options->crossovers, "crossovers a generation (default: 16)");
    addNumber(verb, "--probability", options->settings.probability, "of a mutation to change a divisor (default: 0.3)");
    addNumber(verb, "--step", options->settings.step, "grid of the divisors (default: 0.01)");
    addNumber(verb, "--attention-factor", options->settings.attentionFactor, "factor on cos and sin of all candidates (default: √(1 + ln s/ln N))");
    addInteger(verb, "--seed", options->seed, "of the search");
    addInteger(verb, "--length", options->length, "tokens of the windows that are scored (default: factor × context)", 2);
    addInteger(verb, "--tokens", options->tokens, "tokens scored for a candidate, of the validation part (default: 16384)", 1);
    verb->add_option("--data", options->data, "score on these sources instead of the run's")->allow_extra_args(false);
    verb->add_option("--out", options->out, "file for the best scheme, written after every generation; FILE.state beside it lets the search go on");
    verb->add_flag("--restart", options->restart, "begin anew although --out is there");
    addDevice(verb, options->device);
}

}  // namespace holo::cli
