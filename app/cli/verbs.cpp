#include "app/cli/verbs.h"

#include <CLI/CLI.hpp>

namespace holo::cli {

void addAllVerbs(CLI::App& app, Context& context)
{
#define HOLO_ADD_VERB(name) name(app, context);
    HOLO_VERBS(HOLO_ADD_VERB)
#undef HOLO_ADD_VERB
}

CLI::App* addVerb(CLI::App& app, Context& context, const std::string& name, const std::string& description, const std::string& example,
                  std::function<Output()> action)
{
    CLI::App* verb = app.add_subcommand(name, description);
    verb->allow_extras();  // collected to be refused with the nearest known name
    verb->footer("Example:\n  " + example);
    verb->add_flag("--json", context.json, "print one JSON document");
    verb->add_flag("--quiet", context.quiet, "errors only on standard error");
    verb->add_option("--log-level", context.logLevel, "debug, info, warning or error")->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    if (action)
        verb->callback([&context, action = std::move(action)] { context.action = action; });
    return verb;
}

}  // namespace holo::cli
