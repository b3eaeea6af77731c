#pragma once

#include <string>
#include <string_view>

namespace holo::cli {

// Writes all of it to standard output. A reader that has gone away ends the output silently; a full disk is Error (resource).
void writeOutput(std::string_view text);

// A sentence for people, on standard error.
void writeError(std::string_view sentence);

}  // namespace holo::cli
