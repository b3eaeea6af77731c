#pragma once

#include <QObject>
#include <QThread>
#include <map>
#include <optional>
#include <set>

#include "app/bridge/run_tailer.h"

namespace holo::bridge {

// What the window knows of the open project's runs: rows of all of them, curves and evaluations of those that a page asked for. Fed by
// the tailer's thread; lives in the window's. Steps are kept up to a budget of memory: those of finished runs that nobody asked for lately
// go first, and come again when they are wanted.
class Study : public QObject {
    Q_OBJECT
public:
    explicit Study(QObject* parent = nullptr);
    ~Study() override;

    void open(const QString& folder);
    void close();
    bool isOpen() const { return !m_folder.isEmpty(); }
    bool isLoaded() const { return m_loaded; }  // the first rows are here
    const QString& folder() const { return m_folder; }
    QString runFolder(const QString& run) const { return m_folder + "/runs/" + run; }
    const QString& indexNote() const { return m_note; }
    bool isReadOnly() const { return !m_note.isEmpty(); }  // somebody else writes this project, or nobody may

    const std::map<QString, model::RunRow>& rows() const { return m_rows; }
    const model::RunRow* row(const QString& run) const;
    const model::RunRow* find(const QString& arm, qint64 seed) const;

    // Asks for data once; they arrive by signal and then follow the files. Pending or loaded already: nothing happens.
    void wantSteps(const QString& run);
    void wantEvals(const QString& run);
    const std::vector<model::StepRecord>* steps(const QString& run) const;
    const std::vector<EvalResult>* evals(const QString& run) const;
    const std::vector<store::EventRow>* events(const QString& run) const;
    // Newest own needle evaluation, or the one at exactly `step` (−1: newest); of several at one step the fullest.
    const EvalResult* needle(const QString& run, std::int64_t step = -1) const;

    // True once nothing that was asked for is pending.
    bool isIdle() const { return m_loaded && m_pendingSteps.empty() && m_pendingEvals.empty(); }

Q_SIGNALS:
    void opened();
    void closed();
    void rowsChanged(const QStringList& runs);
    void runsRemoved(const QStringList& runs);
    void stepsLoaded(const QString& run);
    void stepsAppended(const QString& run, const std::vector<holo::model::StepRecord>& steps);
    void evalsLoaded(const QString& run);
    void failed(const QString& sentence);

private:
    void keepWithinBudget(const QString& used);

    QThread m_thread;
    RunTailer* m_tailer;
    QString m_folder;
    QString m_note;
    bool m_loaded = false;
    std::map<QString, model::RunRow> m_rows;
    std::map<std::pair<std::string, qint64>, QString> m_byArmAndSeed;
    std::map<QString, std::vector<model::StepRecord>> m_steps;
    mutable std::map<QString, std::uint64_t> m_used;  // when the steps of a run were asked for last
    mutable std::uint64_t m_uses = 0;
    std::map<QString, std::vector<EvalResult>> m_evals;
    std::map<QString, std::vector<store::EventRow>> m_events;
    std::set<QString> m_pendingSteps;
    std::set<QString> m_pendingEvals;
};

}  // namespace holo::bridge
