#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace holo::cli {

// What a verb gives back: one document for --json, the same as text for people, and an exit code other than 0 where part of the work failed.
struct Output {
    Json document;
    std::string text;
    int code = 0;
};

// Shared by all verbs: the options every verb has, and the action that the verb on the command line has chosen.
struct Context {
    std::vector<std::string> argv;
    bool json = false;
    bool quiet = false;
    std::string logLevel = "info";
    std::function<Output()> action;
};

}  // namespace holo::cli
