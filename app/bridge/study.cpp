#include "app/bridge/study.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <algorithm>

namespace holo::bridge {

namespace {

constexpr std::size_t kStepBudgetBytes = std::size_t(512) << 20;

}  // namespace

Study::Study(QObject* parent)
    : QObject(parent)
    , m_tailer(new RunTailer)
{
    m_thread.setObjectName("run tailer");
    m_tailer->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_tailer, &QObject::deleteLater);
    connect(m_tailer, &RunTailer::opened, this, [this](const std::vector<model::RunRow>& rows, const QString& note) {
        if (!isOpen())
            return;
        m_rows.clear();
        m_byArmAndSeed.clear();
        for (const auto& row : rows) {
            m_rows[QString::fromStdString(row.id)] = row;
            m_byArmAndSeed[{row.arm, row.seed}] = QString::fromStdString(row.id);
        }
        m_note = note;
        m_loaded = true;
        Q_EMIT opened();
    });
    connect(m_tailer, &RunTailer::rowsChanged, this, [this](const std::vector<model::RunRow>& rows) {
        QStringList ids;
        for (const auto& row : rows) {
            ids << QString::fromStdString(row.id);
            m_rows[ids.back()] = row;
            m_byArmAndSeed[{row.arm, row.seed}] = ids.back();
        }
        Q_EMIT rowsChanged(ids);
    });
    connect(m_tailer, &RunTailer::runsRemoved, this, [this](const QStringList& runs) {
        for (const QString& run : runs) {
            std::erase_if(m_byArmAndSeed, [&](const auto& entry) { return entry.second == run; });
            m_rows.erase(run);
            m_steps.erase(run);
            m_evals.erase(run);
            m_events.erase(run);
        }
        Q_EMIT runsRemoved(runs);
    });
    connect(m_tailer, &RunTailer::stepsLoaded, this, [this](const QString& run, const std::vector<model::StepRecord>& steps) {
        m_pendingSteps.erase(run);
        m_steps[run] = steps;
        keepWithinBudget(run);
        Q_EMIT stepsLoaded(run);
    });
    connect(m_tailer, &RunTailer::stepsAppended, this, [this](const QString& run, const std::vector<model::StepRecord>& steps) {
        const auto it = m_steps.find(run);
        if (it == m_steps.end())
            return;  // nobody looks at it, or the whole series is under way
        it->second.insert(it->second.end(), steps.begin(), steps.end());
        Q_EMIT stepsAppended(run, steps);
    });
    connect(m_tailer, &RunTailer::evalsLoaded, this,
        [this](const QString& run, const std::vector<EvalResult>& evals, const std::vector<store::EventRow>& events) {
            m_pendingEvals.erase(run);
            m_evals[run] = evals;
            m_events[run] = events;
            Q_EMIT evalsLoaded(run);
        });
    connect(m_tailer, &RunTailer::evalsChanged, this, [this](const QString& run) {
        if (m_evals.erase(run) > 0)
            wantEvals(run);
    });
    connect(m_tailer, &RunTailer::failed, this, &Study::failed);
    m_thread.start();
}

Study::~Study()
{
    QMetaObject::invokeMethod(m_tailer, &RunTailer::close, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

void Study::open(const QString& folder)
{
    close();
    m_folder = folder;
    QMetaObject::invokeMethod(m_tailer, [tailer = m_tailer, folder] { tailer->open(folder); });
}

void Study::close()
{
    if (!isOpen())
        return;
    m_folder.clear();
    m_loaded = false;
    m_note.clear();
    m_rows.clear();
    m_byArmAndSeed.clear();
    m_used.clear();
    m_steps.clear();
    m_evals.clear();
    m_events.clear();
    m_pendingSteps.clear();
    m_pendingEvals.clear();
    QMetaObject::invokeMethod(m_tailer, &RunTailer::close, Qt::BlockingQueuedConnection);
    // What the tailer had sent of this project is on its way still; only the tailer posts calls to us.
    QCoreApplication::removePostedEvents(this, QEvent::MetaCall);
    Q_EMIT closed();
}

const model::RunRow* Study::row(const QString& run) const
{
    const auto it = m_rows.find(run);
    return it == m_rows.end() ? nullptr : &it->second;
}

const model::RunRow* Study::find(const QString& arm, qint64 seed) const
{
    const auto it = m_byArmAndSeed.find({arm.toStdString(), seed});
    return it == m_byArmAndSeed.end() ? nullptr : row(it->second);
}

void Study::wantSteps(const QString& run)
{
    if (!m_loaded || m_steps.contains(run) || !m_pendingSteps.insert(run).second)
        return;
    QMetaObject::invokeMethod(m_tailer, [tailer = m_tailer, run] { tailer->loadSteps(run); });
}

void Study::keepWithinBudget(const QString& used)
{
    m_used[used] = ++m_uses;
    std::size_t bytes = 0;
    for (const auto& [run, steps] : m_steps)
        bytes += steps.size() * sizeof(model::StepRecord);
    while (bytes > kStepBudgetBytes) {
        auto oldest = m_steps.end();
        for (auto it = m_steps.begin(); it != m_steps.end(); ++it) {
            const auto* r = row(it->first);
            if (it->first == used || (r && r->state == "running"))
                continue;
            if (oldest == m_steps.end() || m_used[it->first] < m_used[oldest->first])
                oldest = it;
        }
        if (oldest == m_steps.end())
            return;
        bytes -= oldest->second.size() * sizeof(model::StepRecord);
        m_used.erase(oldest->first);
        m_steps.erase(oldest);
    }
}

void Study::wantEvals(const QString& run)
{
    if (!m_loaded || m_evals.contains(run) || !m_pendingEvals.insert(run).second)
        return;
    QMetaObject::invokeMethod(m_tailer, [tailer = m_tailer, run] { tailer->loadEvals(run); });
}

const std::vector<model::StepRecord>* Study::steps(const QString& run) const
{
    const auto it = m_steps.find(run);
    if (it == m_steps.end())
        return nullptr;
    m_used[run] = ++m_uses;
    return &it->second;
}

const std::vector<EvalResult>* Study::evals(const QString& run) const
{
    const auto it = m_evals.find(run);
    return it == m_evals.end() ? nullptr : &it->second;
}

const std::vector<store::EventRow>* Study::events(const QString& run) const
{
    const auto it = m_events.find(run);
    return it == m_events.end() ? nullptr : &it->second;
}

const EvalResult* Study::needle(const QString& run, std::int64_t step) const
{
    const auto* list = evals(run);
    const EvalResult* newest = nullptr;
    if (!list)
        return nullptr;
    const auto cells = [](const EvalResult& eval) { return std::count_if(eval.grid.cells.begin(), eval.grid.cells.end(), [](const auto& cell) { return cell.has_value(); }); };
    for (const auto& eval : *list)
        if (eval.row.protocol == "needle" && !eval.row.swapped && (step < 0 || eval.row.step == step)
            && (!newest || std::pair(eval.row.step, cells(eval)) >= std::pair(newest->row.step, cells(*newest))))
            newest = &eval;
    return newest;
}

}  // namespace holo::bridge
