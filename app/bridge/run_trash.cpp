#include "app/bridge/run_trash.h"

#include <QCoreApplication>
#include <QDir>

#include "core/run/run_directory.h"

namespace holo::bridge {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunTrash", text); }
QString trashOf(const QString& project) { return project + "/.trash"; }

}  // namespace

QString discardRun(const QString& project, const QString& run)
{
    const QString from = project + "/runs/" + run;
    if (const auto heartbeat = run::RunDirectory(from.toStdString()).readHeartbeat(); heartbeat && run::isAlive(*heartbeat))
        return tr("%1: its process is alive; stop it first.").arg(run);
    const QString to = trashOf(project) + '/' + run;
    if (!QDir().mkpath(trashOf(project)))
        return tr("%1: the folder cannot be made.").arg(trashOf(project));
    // The same run may have been trained and deleted before.
    QString free = to;
    for (int n = 2; QFileInfo::exists(free); ++n)
        free = QStringLiteral("%1~%2").arg(to).arg(n);
    if (!QDir().rename(from, free))
        return tr("%1: cannot be moved to %2.").arg(from, free);
    return {};
}

QString restoreRun(const QString& project, const QString& run)
{
    const QString to = project + "/runs/" + run.section('~', 0, 0);
    if (QFileInfo::exists(to))
        return tr("%1: there is a run of this name again; it stays, and the deleted one lies in %2.").arg(run.section('~', 0, 0), trashOf(project));
    if (!QDir().rename(trashOf(project) + '/' + run, to))
        return tr("%1: cannot be moved back.").arg(trashOf(project) + '/' + run);
    return {};
}

QStringList discardedRuns(const QString& project) { return QDir(trashOf(project)).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name); }

}  // namespace holo::bridge
