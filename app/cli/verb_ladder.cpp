#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/json_value.h"
#include "core/config/scheme_json.h"
#include "core/ladder/holonomy.h"
#include "core/ladder/kernel.h"
#include "core/ladder/ladder_builder.h"
#include "core/ladder/phase_table.h"

namespace holo::cli {

namespace {

constexpr std::int64_t kDefaultPoints = 512;

struct LadderOptions {
    SchemeOptions scheme;
    std::int64_t length = 0;
    std::vector<std::int64_t> deltas;

    std::int64_t lengthInForce() const { return length > 0 ? length : scheme.context; }
};

template <class T>
Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json();
}

// Adds to one ladder of the plan's document what follows from its frequencies.
void addFigures(Json& json, const ladder::Ladder& ladder, const LadderOptions& options, const std::vector<std::int64_t>& deltas)
{
    const std::int64_t length = options.lengthInForce();
    const std::vector<double> theta = ladder::thetaAtLength(ladder, length);
    const std::int64_t context = ladder.context > 0 ? ladder.context : options.scheme.context;
    std::vector<double> turns;
    for (const double t : theta)
        turns.push_back(double(context) * t / (2 * std::numbers::pi));
    json["theta"] = numbers(theta);
    json["period"] = numbers(ladder::periods(theta));
    json["turns"] = numbers(turns);
    const ladder::Holonomy holonomy = ladder::holonomy(ladder);
    Json planes = Json::array();
    for (const std::complex<double>& z : holonomy.planes)
        planes.push_back({number(z.real()), number(z.imag())});
    json["holonomy"] = std::move(planes);
    json["holonomy_mean"] = number(holonomy.absMean);
    json["boundary"] = ladder::boundaryName(holonomy.boundary);
    json["undertrained"] = ladder::undertrainedPlanes(theta, context);
    json["distinct"] = ladder.exact ? Json(ladder::distinctCharacters(*ladder.exact)) : Json();
    const ladder::KernelSummary summary = ladder::kernelSummary(ladder, length);
    json["summary"] = {{"first_zero", orNull(summary.firstZero)},
                       {"first_non_positive", orNull(summary.firstNonPositive)},
                       {"half_width", orNull(summary.halfWidth)},
                       {"bulk_rms", number(summary.bulkRms)},
                       {"bulk_max", number(summary.bulkMax)},
                       {"at_context", number(summary.atContext)}};
    json["kernel"] = {{"delta", deltas}, {"c", numbers(ladder::meanCosine(ladder, deltas, length))}};
}

std::string textOf(const Json& document)
{
    std::string text = "scheme  " + dumpLine(document["scheme"]) + "\n";
    for (const Json& ladder : document["ladders"]) {
        const Json& summary = ladder["summary"];
        const auto optional = [](const Json& value) { return value.is_null() ? std::string("none") : shortNumber(value.get<double>()); };
        text += "\n" + ladder["name"].get<std::string>() + " (" + ladder["kind"].get<std::string>() + ", N = " + dumpLine(ladder["context"]) + ", "
                + ladder["boundary"].get<std::string>() + ")\n";
        TextTable table({"plane", "theta rad/token", "period", "turns in N", "holonomy"});
        for (std::size_t i = 0; i < ladder["theta"].size(); ++i) {
            const auto value = [&](const char* key) { return toDouble(ladder[key][i], key); };
            const Json& z = ladder["holonomy"][i];
            const double imaginary = toDouble(z[1], "holonomy");
            table.add({std::to_string(i), shortNumber(value("theta"), 9), shortNumber(value("period"), 6), shortNumber(value("turns"), 6),
                       shortNumber(toDouble(z[0], "holonomy"), 4) + (imaginary < 0 ? " - " : " + ") + shortNumber(std::abs(imaginary), 4) + "i"});
        }
        text += table.text();
        text += "c(N) " + shortNumber(toDouble(summary["at_context"], "at_context")) + ", first zero " + optional(summary["first_zero"]) + ", half width "
                + optional(summary["half_width"]) + ", bulk rms " + shortNumber(toDouble(summary["bulk_rms"], "bulk_rms")) + ", bulk max "
                + shortNumber(toDouble(summary["bulk_max"], "bulk_max")) + "\n";
    }
    for (const Json& note : document["notes"])
        text += note.get<std::string>() + "\n";
    return text;
}

Output showLadder(const LadderOptions& options)
{
    const ladder::Scheme scheme = config::parseScheme(options.scheme.scheme);
    const ladder::Plan plan = ladder::resolve(scheme, options.scheme.shape());
    const std::int64_t context = options.scheme.context;
    const auto deltas = options.deltas.empty() ? ladder::distances(0, context, std::max<std::int64_t>(1, context / kDefaultPoints)) : options.deltas;
    Json document = {{"format", 1}, {"scheme", config::toJson(config::resolvedScheme(scheme, plan.shape))}};
    document.update(config::toJson(plan));
    for (std::size_t i = 0; i < plan.ladders.size(); ++i)
        addFigures(document["ladders"][i], plan.ladders[i], options, deltas);
    for (const ladder::Ladder& ladder : plan.ladders)
        if (options.length == 0 && ladder.lengthRule != ladder::LengthRule::Fixed)
            document["notes"].push_back(ladder.name + " depends on the length of the sequence: shown is the ladder of " + std::to_string(context) + " tokens" +
                                        (context <= ladder.context ? ", which is not scaled" : "") + "; --length L shows that of L tokens.");
    std::string text = textOf(document);
    return {std::move(document), std::move(text)};
}

}  // namespace

void addLadderVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<LadderOptions>();
    CLI::App* verb = addVerb(app, context, "ladder", "the numbers of a positional scheme", "holonomy ladder mobius --head-dim 64 --context 2048 --delta 0:4096:32 --json",
                             [options] { return showLadder(*options); });
    addScheme(verb, options->scheme);
    addInteger(verb, "--length", options->length, "length of the sequence, where the ladder depends on it", 1);
    addIntegers(verb, "--delta", options->deltas, "distances of the kernel");
}

}  // namespace holo::cli
