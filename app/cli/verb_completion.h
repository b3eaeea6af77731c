#pragma once

namespace CLI {
class App;
}

namespace holo::cli {

struct Context;

// `completion` and `man` describe the verbs that `app` has, so they are added last.
void addCompletionVerb(CLI::App& app, Context& context);
void addManVerb(CLI::App& app, Context& context);

}  // namespace holo::cli
