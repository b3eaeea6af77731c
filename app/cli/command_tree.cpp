#include "app/cli/command_tree.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "core/base/text.h"

namespace holo::cli {

namespace {

constexpr std::string_view kExample = "Example:\n";

bool isShared(const CLI::Option& option)
{
    const std::string& name = option.get_single_name();
    return name == "json" || name == "quiet" || name == "log-level" || name == "help";
}

// The library keeps a set of allowed values as the text "{a,b}" behind the type.
std::vector<std::string> choicesOf(const std::string& type)
{
    const auto open = type.find('{');
    const auto close = type.rfind('}');
    if (open == std::string::npos || close == std::string::npos)
        return {};
    auto choices = split(type.substr(open + 1, close - open - 1), ',');
    for (std::string& choice : choices)
        choice = trimmed(choice);
    std::sort(choices.begin(), choices.end());
    return choices;
}

OptionText describe(const CLI::Option& option)
{
    OptionText text;
    text.isArgument = option.get_positional() && option.get_lnames().empty();
    text.name = text.isArgument ? option.get_name(true) : "--" + option.get_single_name();
    const std::string type = option.get_type_name();
    text.value = option.get_expected_max() == 0 ? std::string() : std::string(type.substr(0, type.find(':')));
    text.help = option.get_description();
    text.choices = choicesOf(type);
    text.isRequired = option.get_required();
    text.repeats = option.get_expected_max() > 1;
    return text;
}

VerbText describe(const CLI::App& app, bool shared)
{
    VerbText verb{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
    if (verb.example.starts_with(kExample))
        verb.example.erase(0, kExample.size());
    for (const CLI::Option* option : app.get_options())
        if (shared || !isShared(*option))
            verb.options.push_back(describe(*option));
    for (const CLI::App* inner : app.get_subcommands({}))
        verb.verbs.push_back(describe(*inner, false));
    return verb;
}

}  // namespace

VerbText commandTree(const CLI::App& app) { return describe(app, true); }

}  // namespace holo::cli
