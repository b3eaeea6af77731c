#include <CLI/CLI.hpp>

#include "app/cli/manual_page.h"
#include "app/cli/shell_completion.h"
#include "app/cli/verbs.h"

namespace holo::cli {

void addCompletionVerb(CLI::App& app, Context& context)
{
    const auto shell = std::make_shared<std::string>();
    CLI::App* verb = addVerb(app, context, "completion", "a script that completes the command line in a shell", "holonomy completion bash > ~/.local/share/bash-completion/completions/holonomy", [&app, shell] {
        const VerbText tree = commandTree(app);
        std::string text = *shell == "bash" ? bashCompletion(tree) : *shell == "zsh" ? zshCompletion(tree) : fishCompletion(tree);
        return Output{{{"format", 1}, {"shell", *shell}, {"script", text}}, text};
    });
    verb->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

void addManVerb(CLI::App& app, Context& context)
{
    addVerb(app, context, "man", "the manual page of all verbs", "holonomy man > holonomy.1 && man ./holonomy.1", [&app] {
        std::string text = manualPage(commandTree(app), HOLO_VERSION);
        return Output{{{"format", 1}, {"page", text}}, text};
    });
}

}  // namespace holo::cli
