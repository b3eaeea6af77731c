#include "app/verb_dispatch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace holo::app {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 28> kVerbs = {
    "new", "ladder", "analyze", "search", "tables", "rotate", "runs", "show", "train", "eval", "swap", "stats", "report", "data", "inspect", "logits", "import", "export", "index", "slurm", "selftest", "bench", "version",
    "help", "controls", "batch", "completion", "man",
};

bool isWord(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

}  // namespace

Start startOf(int argc, char** argv)
{
    if (argc < 2)
        return Start::Window;
    const std::string_view first = argv[1];
    if (first == "screenshots")
        return Start::Screenshots;
    if (first.starts_with("--") || first == "-h" || first == "-V" || std::find(kVerbs.begin(), kVerbs.end(), first) != kVerbs.end())
        return Start::Engine;
    for (int i = 2; i < argc; ++i)
        if (std::string_view(argv[i]) == "--batch")
            return Start::Engine;
    // A word that is no path is a misspelt verb: the engine names the nearest one.
    std::error_code ec;
    return isWord(first) && first[0] != '-' && !fs::exists(first, ec) ? Start::Engine : Start::Window;
}

std::string execEngine(char** argv)
{
    std::error_code ec;
    fs::path engine = fs::read_symlink("/proc/self/exe", ec).parent_path() / "holonomy-engine";
    if (const char* given = std::getenv("HOLONOMY_ENGINE"); given && *given)
        engine = given;
    ::execv(engine.c_str(), argv);
    return engine.string() + ": the engine cannot be started (" + std::strerror(errno) + ").";
}

std::optional<std::string> missingDisplay()
{
    const auto isSet = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    if (isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM"))
        return std::nullopt;
    return "There is no display for a window (DISPLAY and WAYLAND_DISPLAY are not set); holonomy --batch PROJECT and all verbs work without one, see holonomy --help.";
}

}  // namespace holo::app
