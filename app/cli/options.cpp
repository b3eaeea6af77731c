#include "app/cli/options.h"

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"

namespace holo::cli {

namespace {

constexpr std::size_t kMostValues = 10'000'000;

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"", option, "\"" + found + "\"", allowed});
}

// The long name of "-n,--name".
std::string longName(const std::string& name)
{
    const auto dashes = name.find("--");
    return dashes == std::string::npos ? name : name.substr(dashes);
}

}  // namespace

CLI::Option* addNumber(CLI::App* verb, const std::string& name, double& value, const std::string& help)
{
    return verb->add_option_function<std::string>(name, [&value, option = longName(name)](const std::string& text) {
        const auto number = parseDouble(text);
        if (!number)
            refuse(option, text, "a number with a decimal point");
        value = *number;
    }, help)->type_name("NUMBER");
}

CLI::Option* addInteger(CLI::App* verb, const std::string& name, std::int64_t& value, const std::string& help, std::int64_t minimum)
{
    return verb->add_option_function<std::string>(name, [&value, minimum, option = longName(name)](const std::string& text) {
        const auto number = parseInt(text);
        if (!number || *number < minimum || *number > (std::int64_t(1) << 53))
            refuse(option, text, "a whole number of at least " + std::to_string(minimum));
        value = *number;
    }, help)->type_name("INTEGER");
}

CLI::Option* addIntegers(CLI::App* verb, const std::string& name, std::vector<std::int64_t>& values, const std::string& help)
{
    return verb->add_option_function<std::string>(name, [&values, option = longName(name)](const std::string& text) { values = parseIntegers(text, option); }, help)
        ->type_name("A,B,… or A:B[:STEP]");
}

CLI::Option* addNumbers(CLI::App* verb, const std::string& name, std::vector<double>& values, const std::string& help)
{
    return verb->add_option_function<std::string>(name, [&values, option = longName(name)](const std::string& text) { values = parseNumbers(text, option); }, help)
        ->type_name("A,B,…");
}

std::vector<std::int64_t> parseIntegers(const std::string& text, const std::string& option)
{
    const std::string allowed = "whole numbers as A,B,… or A:B or A:B:STEP";
    std::vector<std::int64_t> values;
    for (const std::string& item : split(text, ',')) {
        std::vector<std::int64_t> ends;
        for (const std::string& part : split(item, ':')) {
            const auto number = parseInt(trimmed(part));
            if (!number)
                refuse(option, text, allowed);
            ends.push_back(*number);
        }
        if (ends.size() == 1) {
            values.push_back(ends[0]);
            continue;
        }
        const std::int64_t step = ends.size() == 3 ? ends[2] : 1;
        if (ends.size() > 3 || step < 1 || ends[1] < ends[0])
            refuse(option, text, allowed + " with A <= B and STEP >= 1");
        if (std::uint64_t(ends[1] - ends[0]) / std::uint64_t(step) >= kMostValues)
            refuse(option, text, "at most " + std::to_string(kMostValues) + " values");
        for (std::int64_t v = ends[0]; v <= ends[1]; v += step)
            values.push_back(v);
    }
    return values;
}

std::vector<double> parseNumbers(const std::string& text, const std::string& option)
{
    std::vector<double> values;
    for (const std::string& item : split(text, ',')) {
        const auto number = parseDouble(trimmed(item));
        if (!number)
            refuse(option, text, "numbers as A,B,… with a decimal point");
        values.push_back(*number);
    }
    return values;
}

ladder::ModelShape SchemeOptions::shape() const
{
    ladder::ModelShape shape;
    shape.layers = int(layers);
    shape.heads = int(heads);
    shape.kvHeads = int(kvHeads > 0 ? kvHeads : heads);
    shape.headDim = int(headDim);
    shape.rotaryDim = int(rotaryDim > 0 ? rotaryDim : headDim);
    shape.context = context;
    shape.base = base;
    shape.seed = std::uint64_t(seed);
    if (headDim > 65536 || layers > 4096 || heads > 65536)
        refuse("--head-dim, --layers, --heads", std::to_string(headDim) + ", " + std::to_string(layers) + ", " + std::to_string(heads), "at most 65536, 4096, 65536");
    if (shape.headDim % 2 != 0)
        refuse("--head-dim", std::to_string(headDim), "an even number");
    if (shape.rotaryDim % 2 != 0 || shape.rotaryDim > shape.headDim)
        refuse("--rotary-dim", std::to_string(shape.rotaryDim), "an even number up to --head-dim (" + std::to_string(headDim) + ")");
    if (shape.heads % shape.kvHeads != 0)
        refuse("--kv-heads", std::to_string(shape.kvHeads), "a divisor of --heads (" + std::to_string(heads) + ")");
    return shape;
}

ladder::Plan SchemeOptions::plan() const { return ladder::resolve(config::parseScheme(scheme), shape()); }

void addScheme(CLI::App* verb, SchemeOptions& options)
{
    verb->add_option("SCHEME", options.scheme, "positional scheme: KIND[:key=value,…], inline JSON or a JSON file")->required();
    addInteger(verb, "--head-dim", options.headDim, "width of a head", 2);
    addInteger(verb, "--context", options.context, "training context N in tokens", 2);
    addInteger(verb, "--rotary-dim", options.rotaryDim, "rotated lanes of a head (default: all)", 2);
    addInteger(verb, "--heads", options.heads, "query heads", 1);
    addInteger(verb, "--kv-heads", options.kvHeads, "key/value heads (default: as --heads)", 1);
    addInteger(verb, "--layers", options.layers, "layers", 1);
    addNumber(verb, "--base", options.base, "base of the standard ladder");
    addInteger(verb, "--seed", options.seed, "seed of drawn coefficients");
}

config::Project ProjectOptions::read() const
{
    std::vector<config::Parameter> list;
    for (const std::string& text : parameters)
        list.push_back(config::parseParameter(text));
    return config::readProject(project, list);
}

void addProject(CLI::App* verb, ProjectOptions& options)
{
    verb->add_option("PROJECT", options.project, "project folder or its project.json")->required();
    verb->add_option("--param", options.parameters, "PATH=VALUE: override one field of the project (repeatable)")->allow_extra_args(false);
}

void addDevice(CLI::App* verb, DeviceOptions& options)
{
    verb->add_option("--device", options.device, "auto, cpu or cuda:K");
    addInteger(verb, "--threads", options.threads, "threads (default: one a core)", 1);
    verb->add_option("--precision", options.precision, "auto, fp32 or bf16")->check(CLI::IsMember({"auto", "fp32", "bf16"}));
}

}  // namespace holo::cli
