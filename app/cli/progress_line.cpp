#include "app/cli/progress_line.h"

#include <unistd.h>

#include "app/cli/output.h"
#include "core/base/text.h"

namespace holo::cli {

namespace {

constexpr int kBarWidth = 30;

std::string bar(double share)
{
    const int filled = int(share * kBarWidth);
    return "[" + std::string(std::size_t(filled), '#') + std::string(std::size_t(kBarWidth - filled), '.') + "]";
}

void writeTerminal(const std::string& text)
{
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0)
        return;  // progress is not worth a failure
}

}  // namespace

ProgressLine::ProgressLine(bool enabled)
    : m_enabled(enabled)
    , m_terminal(::isatty(STDERR_FILENO) == 1)
    , m_last(std::chrono::steady_clock::now())
{
}

ProgressLine::~ProgressLine() { end(); }

bool ProgressLine::due()
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_enabled || now - m_last < (m_terminal ? std::chrono::milliseconds(200) : std::chrono::milliseconds(60000)))
        return false;
    m_last = now;
    return true;
}

void ProgressLine::show(const run::Progress& p)
{
    if (!due())
        return;
    std::string more;
    if (p.phase == "train")
        more = "step " + std::to_string(p.step) + "/" + std::to_string(p.steps) + " loss " + formatFixed(p.loss, 3) + " " + formatFixed(p.tokensPerSecond, 0) + " tok/s";
    m_last -= std::chrono::hours(1);
    show(p.phase, p.share, more);
}

void ProgressLine::show(const std::string& phase, double share, const std::string& more)
{
    if (!due())
        return;
    m_last -= std::chrono::hours(1);
    show(phase + " " + (m_terminal ? bar(share) + " " : "") + formatFixed(100 * share, 1) + " %" + (more.empty() ? "" : " " + more));
}

void ProgressLine::show(const std::string& text)
{
    if (!due())
        return;
    if (m_terminal)
        writeTerminal("\r\x1b[K" + text);
    else
        writeError(text);
    m_shown = m_terminal;
}

void ProgressLine::end()
{
    if (m_shown)
        writeTerminal("\n");
    m_shown = false;
}

}  // namespace holo::cli
