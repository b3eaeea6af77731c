#include "app/bridge/run_tailer.h"

#include "core/base/error.h"
#include "core/store/run_index.h"

namespace holo::bridge {

namespace {

constexpr int kPollMilliseconds = 200;

}  // namespace

RunTailer::RunTailer()
    : m_timer(new QTimer(this))
{
    m_timer->setInterval(kPollMilliseconds);
    connect(m_timer, &QTimer::timeout, this, &RunTailer::poll);
}

RunTailer::~RunTailer() = default;

void RunTailer::open(const QString& project)
{
    close();
    try {
        std::string note;
        m_index = std::make_unique<store::RunIndex>(store::RunIndex::openBest(project.toStdString(), note));
        m_index->update();
        Q_EMIT opened(m_index->queries().rows(), QString::fromStdString(note));
        m_timer->start();
    } catch (const std::exception& error) {
        m_index.reset();
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

void RunTailer::close()
{
    m_timer->stop();
    m_index.reset();
}

void RunTailer::poll()
{
    if (!m_index)
        return;
    try {
        const store::Changes changes = m_index->update();
        if (changes.isEmpty())
            return;
        if (!changes.removed.empty()) {
            QStringList removed;
            for (const auto& id : changes.removed)
                removed << QString::fromStdString(id);
            Q_EMIT runsRemoved(removed);
        }
        std::vector<model::RunRow> rows;
        for (const auto& id : changes.runs)
            if (auto row = m_index->queries().row(id))
                rows.push_back(std::move(*row));
        if (!rows.empty())
            Q_EMIT rowsChanged(rows);
        for (const auto& steps : changes.steps) {
            const QString run = QString::fromStdString(steps.run);
            if (steps.restarted)
                Q_EMIT stepsLoaded(run, steps.records);
            else
                Q_EMIT stepsAppended(run, steps.records);
        }
        for (const auto& id : changes.evals)
            Q_EMIT evalsChanged(QString::fromStdString(id));
        m_lastProblem.clear();
    } catch (const std::exception& error) {
        // A full disk or a folder that went away repeats five times a second; it is said once.
        const QString problem = QString::fromUtf8(error.what());
        if (problem != m_lastProblem)
            Q_EMIT failed(problem);
        m_lastProblem = problem;
    }
}

void RunTailer::loadSteps(const QString& run)
{
    if (!m_index)
        return;
    try {
        Q_EMIT stepsLoaded(run, m_index->queries().steps(run.toStdString()));
    } catch (const std::exception& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

void RunTailer::loadEvals(const QString& run)
{
    if (!m_index)
        return;
    try {
        const std::string id = run.toStdString();
        std::vector<EvalResult> results;
        for (auto& row : m_index->queries().evals(id)) {
            EvalResult result;
            if (row.protocol == "perplexity")
                result.perplexity = m_index->queries().perplexity(id, row.id);
            else
                result.grid = m_index->queries().grid(id, row.id);
            result.row = std::move(row);
            results.push_back(std::move(result));
        }
        Q_EMIT evalsLoaded(run, results, m_index->queries().events(id));
    } catch (const std::exception& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

}  // namespace holo::bridge
