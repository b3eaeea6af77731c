#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace holo::eval {

// Scores of generated text against the expected answers, each kept under its own name.
struct OutputScore {
    double exact = 0;     // the output, free of surrounding white space and closing punctuation, is the answer, character for character
    double contains = 0;  // share of the answers that occur as a whole number or word, in any order
};
OutputScore scoreOutput(std::string_view output, const std::vector<std::string>& expected);

// The same for JSON lines {"expected": ["…"], "output": "…"} → {format, trials, exact, contains, rows:[{output, exact, contains}]}; a score that is
// 0 or 1 is written as a Boolean. Throws Error (malformed) that names file and line.
Json scoreOutputs(const std::filesystem::path& file);

}  // namespace holo::eval
