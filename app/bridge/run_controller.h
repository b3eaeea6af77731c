#pragma once

#include <QObject>
#include <QString>

#include "core/model/run_row.h"

namespace holo::bridge {

// Starts runs as detached processes and talks to running ones by control.json and signals. What a run is doing is read off its files, never
// remembered here.
class RunController : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    // What a row allows, from its state alone.
    static bool canStart(const model::RunRow& row) { return row.state == "waiting" || row.state == "interrupted" || row.state == "failed"; }
    static bool canPause(const model::RunRow& row) { return row.state == "running"; }
    static bool canResume(const model::RunRow& row) { return row.state == "paused"; }
    static bool canStop(const model::RunRow& row) { return row.state == "running" || row.state == "paused"; }

    static QStringList trainArguments(const QString& project, const QString& arm, qint64 seed);

    struct Started {
        qint64 pid = 0;
        QString problem;  // one sentence; empty: it runs
    };
    // The engine in a session of its own, standard output and error appended to worker.log in the run's folder: it outlives the window.
    Started start(const QString& project, const QString& runFolder, const QString& arm, qint64 seed, const QString& device);

    // Each returns an empty text or one sentence.
    QString pause(const QString& runFolder);
    QString resume(const QString& runFolder);
    QString checkpointNow(const QString& runFolder);
    QString evaluateNow(const QString& runFolder);
    QString stop(const QString& runFolder);  // SIGTERM: checkpoint, then exit 75
    QString kill(const QString& runFolder);  // SIGKILL to the process group: what happened since the last checkpoint is lost
};

}  // namespace holo::bridge
