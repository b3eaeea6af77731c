#pragma once

namespace holo::cli {

// The headless program: parses, runs one verb, prints its output, returns the exit code. Never throws.
int run(int argc, char** argv);

}  // namespace holo::cli
