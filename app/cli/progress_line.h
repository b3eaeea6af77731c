#pragma once

#include <chrono>
#include <string>

#include "core/run/worker.h"

namespace holo::cli {

// Progress on standard error: a line that rewrites itself on a terminal (a few times a second), else a line a minute.
class ProgressLine {
public:
    explicit ProgressLine(bool enabled);
    ~ProgressLine();

    bool isTerminal() const { return m_terminal; }
    void show(const run::Progress& progress);
    void show(const std::string& phase, double share, const std::string& more);
    void show(const std::string& text);
    void end();  // leaves the terminal at the start of a line

private:
    bool due();

    bool m_enabled;
    bool m_terminal;
    bool m_shown = false;
    std::chrono::steady_clock::time_point m_last;
};

}  // namespace holo::cli
