#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holo::cli {

// The command line as plain data, for everything that describes it: shell completion and the manual page.
struct OptionText {
    std::string name;                  // "--format", or "CHECKPOINT" for an argument
    std::string value;                 // kind of its value; empty: a flag
    std::string help;
    std::vector<std::string> choices;  // where only some values are allowed
    bool isArgument = false;
    bool isRequired = false;
    bool repeats = false;
};

struct VerbText {
    std::string name;
    std::string help;
    std::string example;  // one or more lines
    std::vector<OptionText> options;  // its own: without those that every verb has
    std::vector<VerbText> verbs;
};

// `app` itself as the outermost verb, whose options are those of every verb.
VerbText commandTree(const CLI::App& app);

}  // namespace holo::cli
