#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>

#include "app/cli/options.h"
#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/ladder/phase_table.h"
#include "kernels/rotary/rotary.h"

namespace holo::cli {

namespace {

struct RotateOptions {
    SchemeOptions scheme;
    std::vector<double> vector;
    std::int64_t position = 0;
    std::int64_t length = 0;
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::string pairing = "half";
    bool headDimGiven = false;
};

const ladder::Ladder& ladderOf(const ladder::Plan& plan, const RotateOptions& options)
{
    if (options.layer >= plan.shape.layers || options.head >= plan.shape.heads)
        throw Error::at(ErrorKind::Usage, {"", "--layer, --head", std::to_string(options.layer) + ", " + std::to_string(options.head),
                                           "a layer below " + std::to_string(plan.shape.layers) + " and a head below " + std::to_string(plan.shape.heads)});
    return plan.ladders[std::size_t(plan.heads[std::size_t(options.layer)][std::size_t(options.head)].ladder)];
}

// One head of one token, through the kernel that training runs.
std::vector<float> throughKernel(const ladder::Ladder& ladder, const RotateOptions& options, std::int64_t length)
{
    const std::vector<std::int64_t> positions{options.position};
    const ladder::PhaseTable table = ladder::phaseTableAt(ladder, positions, length);
    std::vector<float> lanes(options.vector.begin(), options.vector.end());
    if (table.planes == 0)
        return lanes;
    kernels::RotaryParams params;
    params.batch = 1;
    params.tokens = 1;
    params.headDim = std::int32_t(lanes.size());
    params.rotaryDim = 2 * table.planes;
    params.pairing = options.pairing == "half" ? kernels::Pairing::HalfSplit : kernels::Pairing::Interleaved;
    params.groups = 1;
    kernels::RotaryHeads& group = params.group[0];
    group.input = lanes.data();
    group.output = lanes.data();
    group.heads = 1;
    group.inputBatch = group.inputToken = group.inputHead = params.headDim;
    group.outputBatch = group.outputToken = group.outputHead = params.headDim;
    group.tables = {table.cos.data(), table.sin.data(), 1, 1, table.planes};
    kernels::rotate(params);
    return lanes;
}

Output rotate(RotateOptions options)
{
    if (options.headDimGiven && options.scheme.headDim != std::int64_t(options.vector.size()))
        throw Error::at(ErrorKind::Usage, {"", "--vector", std::to_string(options.vector.size()) + " numbers", "as many as --head-dim (" + std::to_string(options.scheme.headDim) + ")"});
    options.scheme.headDim = std::int64_t(options.vector.size());
    if (options.vector.size() < 2)
        throw Error::at(ErrorKind::Usage, {"", "--vector", std::to_string(options.vector.size()) + " numbers", "an even number of them"});
    const ladder::Scheme scheme = config::parseScheme(options.scheme.scheme);
    const ladder::Plan plan = ladder::resolve(scheme, options.scheme.shape());
    const ladder::Ladder& ladder = ladderOf(plan, options);
    const std::int64_t length = options.length > 0 ? options.length : std::max(options.scheme.context, options.position + 1);
    const ladder::Pairing pairing = options.pairing == "half" ? ladder::Pairing::HalfSplit : ladder::Pairing::Interleaved;
    const std::vector<double> reference = ladder::rotated(ladder, options.vector, options.position, length, pairing);
    const std::vector<float> vector = throughKernel(ladder, options, length);

    double worst = 0;
    Json values = Json::array(), exact = Json::array();
    TextTable text({"lane", "kernel", "float64"});
    for (std::size_t i = 0; i < vector.size(); ++i) {
        worst = std::max(worst, std::abs(double(vector[i]) - reference[i]));
        values.push_back(number(vector[i]));
        exact.push_back(number(reference[i]));
        text.add({std::to_string(i), shortNumber(vector[i], 9), shortNumber(reference[i], 12)});
    }
    Json document = {{"format", 1}, {"scheme", config::toJson(config::resolvedScheme(scheme, plan.shape))}, {"ladder", ladder.name}, {"position", options.position},
                     {"pairing", options.pairing}, {"vector", std::move(values)}, {"reference", std::move(exact)}, {"max_error", number(worst)}};
    return {std::move(document), text.text() + "largest error " + shortNumber(worst, 3) + "\n"};
}

}  // namespace

void addRotateVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<RotateOptions>();
    CLI::App* verb = addVerb(app, context, "rotate", "one vector of one head through the kernel, beside float64",
                             "holonomy rotate mobius --context 64 --vector 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 --position 5", nullptr);
    addScheme(verb, options->scheme);
    addNumbers(verb, "--vector", options->vector, "lanes of the head")->required();
    verb->add_option_function<std::string>("--position", [options](const std::string& text) {
        const auto values = parseIntegers(text, "--position");
        if (values.size() != 1)
            throw Error::at(ErrorKind::Usage, {"", "--position", "\"" + text + "\"", "one whole number"});
        options->position = values.front();
    }, "position, also negative")->required();
    addInteger(verb, "--length", options->length, "final length of the sequence, where the table depends on it", 1);
    addInteger(verb, "--layer", options->layer, "layer of the head");
    addInteger(verb, "--head", options->head, "head whose ladder is used");
    verb->add_option("--pairing", options->pairing, "half: lanes (j, j + width/2); interleaved: (2j, 2j+1)")->check(CLI::IsMember({"half", "interleaved"}));
    verb->callback([&context, options, verb] {
        options->headDimGiven = verb->count("--head-dim") > 0;
        context.action = [options] { return rotate(*options); };
    });
}

}  // namespace holo::cli
