#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace holo::app {

enum class Start { Window, Screenshots, Engine };

// What the command line asks for, before any Qt object exists. A verb, or anything that begins with two dashes, is the engine's; paths, Qt's
// own options with one dash and nothing at all are the window's.
Start startOf(int argc, char** argv);

// Replaces this process by the engine beside it, arguments unchanged, so that exit code, signals and streams are its own. Returns only when
// that fails: the sentence why.
std::string execEngine(char** argv);

// A sentence if no window can be opened here; it names what works without a display.
std::optional<std::string> missingDisplay();

}  // namespace holo::app
