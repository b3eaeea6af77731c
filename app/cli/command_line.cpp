#include "app/cli/command_line.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <CLI/CLI.hpp>

#include "app/cli/error_report.h"
#include "app/cli/logging.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/base/text.h"

namespace holo::cli {

namespace {

// "--batch PROJECT" reads like an option and is a verb; it may follow the shared options. So are the customary spellings of version and help.
std::vector<std::string> withVerbFirst(std::vector<std::string> arguments)
{
    if (!arguments.empty() && (arguments[0] == "--version" || arguments[0] == "-V"))
        arguments[0] = "version";
    if (!arguments.empty() && arguments[0] == "help") {
        arguments.erase(arguments.begin());
        arguments.push_back("--help");
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--")
            break;
        if (arguments[i] == "--batch") {
            arguments.erase(arguments.begin() + std::ptrdiff_t(i));
            arguments.insert(arguments.begin(), "batch");
            break;
        }
        if (arguments[i].starts_with("--batch=")) {
            const std::string project = arguments[i].substr(std::strlen("--batch="));
            arguments.erase(arguments.begin() + std::ptrdiff_t(i));
            arguments.insert(arguments.begin(), {"batch", project});
            break;
        }
        if (!arguments[i].starts_with('-') && !(i > 0 && arguments[i - 1] == "--log-level"))
            break;
    }
    return arguments;
}

std::vector<std::string> optionNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    return names;
}

std::vector<std::string> verbNames(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({}))
        names.push_back(verb->get_name());
    return names;
}

void refuseExtras(const CLI::App& app)
{
    const std::vector<std::string> extras = app.remaining();
    const bool hasVerbs = !verbNames(app).empty();
    if (!extras.empty()) {
        const std::string& extra = extras.front();
        const bool isOption = extra.starts_with('-') && extra.size() > 1;
        const std::string name = isOption ? extra.substr(0, extra.find('=')) : extra;
        if (isOption || !hasVerbs) {
            const auto known = optionNames(app);
            const std::string what = isOption ? "There is no option \"" + name + "\" of " : "\"" + name + "\" is one argument too many for ";
            const std::string verb = app.get_parent() ? app.get_name() : "holonomy";
            throw Error(ErrorKind::Usage, what + verb + "; " + (isOption ? suggestion(name, known) : "see " + verb + " --help."),
                        {"", name, isOption ? "unknown option" : "one argument too many", join(known, ", ")});
        }
        auto known = verbNames(app);
        throw Error(ErrorKind::Usage, "There is no verb \"" + name + "\"; " + suggestion(name, known), {"", name, "unknown verb", join(known, ", ")});
    }
    for (const CLI::App* verb : app.get_subcommands())
        refuseExtras(*verb);
}

// Words of our own in place of the library's, which do not say which verb was meant.
Error usageError(const CLI::ParseError& error)
{
    std::string message = error.what();
    message.erase(message.find_last_not_of(" \n.") + 1);
    return Error(ErrorKind::Usage, message + ".", {"", "arguments", message, "see --help"});
}

Output perform(CLI::App& app, Context& context, std::vector<std::string> arguments)
{
    try {
        std::reverse(arguments.begin(), arguments.end());
        app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        const CLI::App* shown = &app;
        std::string before;  // the words that lead to the verb
        while (!shown->get_subcommands().empty()) {
            before += (before.empty() ? "" : " ") + (shown == &app ? "holonomy" : shown->get_name());
            shown = shown->get_subcommands().front();
        }
        const std::string text = shown->help(before);
        return {{{"help", text}}, text};
    } catch (const CLI::ParseError& e) {
        refuseExtras(app);
        throw usageError(e);
    }
    refuseExtras(app);
    startLogging(context.logLevel, context.quiet);
    if (!context.action)
        throw Error(ErrorKind::Usage, "No verb was given; known are: " + join(verbNames(app), ", ") + ".", {"", "verb", "", join(verbNames(app), ", ")});
    return context.action();
}

}  // namespace

int run(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    Context context;
    context.argv.assign(argv, argv + argc);
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    const bool json = std::find(arguments.begin(), end, "--json") != end;  // known before parsing, which may fail
    try {
        CLI::App app("Holonomy: experiments on positional encodings, headless.", "holonomy");
        app.allow_extras();
        app.require_subcommand(0, 1);  // a verb's own argument may be spelt like another verb: bench train
        app.add_flag("--json", context.json, "print one JSON document");
        app.add_flag("--quiet", context.quiet, "errors only on standard error");
        app.add_option("--log-level", context.logLevel, "debug, info, warning or error")->check(CLI::IsMember({"debug", "info", "warning", "error"}));
        app.footer("holonomy VERB --help shows the options of a verb. Data goes to standard output, words to standard error.");
        addAllVerbs(app, context);
        const Output output = perform(app, context, withVerbFirst(std::move(arguments)));
        writeOutput(json ? dumpLine(output.document) + "\n" : output.text);
        return output.code;
    } catch (...) {
        const Error error = asError(std::current_exception());
        writeError(error.what());
        try {
            if (json)
                writeOutput(dumpLine(errorDocument(error)) + "\n");
        } catch (const Error&) {
            // Standard output is gone; the sentence and the code are all that is left.
        }
        return exitCode(error.kind());
    }
}

}  // namespace holo::cli
