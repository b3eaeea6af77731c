#include "app/bridge/stall_watch.h"

#include <algorithm>

#include "app/bridge/study.h"

namespace holo::bridge {

StallWatch::StallWatch(Study& study, QObject* parent)
    : QObject(parent)
    , m_study(study)
{
    connect(&m_timer, &QTimer::timeout, this, &StallWatch::look);
    connect(&m_study, &Study::closed, this, [this] { m_progress.clear(); });
    setPatience(m_patience);
    m_timer.start();
}

void StallWatch::setPatience(std::chrono::milliseconds patience)
{
    m_patience = patience;
    m_timer.setInterval(std::clamp(patience / 4, std::chrono::milliseconds(20), std::chrono::milliseconds(10000)));
}

void StallWatch::look()
{
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [run, row] : m_study.rows()) {
        if (row.state != "running") {
            m_progress.erase(run);
            continue;
        }
        Progress& p = m_progress[run];
        if (p.step != row.step || p.evals != row.evals) {
            p = {row.step, row.evals, now, false};
            continue;
        }
        if (p.told || now - p.since < m_patience)
            continue;
        p.told = true;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - p.since).count();
        Q_EMIT stalled(tr("%1, seed %2: no step and no evaluation for %3 s, although its process lives; its worker.log may say why. It stands at step %4.")
                           .arg(QString::fromStdString(row.arm)).arg(row.seed).arg(seconds).arg(row.step));
    }
}

}  // namespace holo::bridge
