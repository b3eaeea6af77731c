#include "app/bridge/run_controller.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <cerrno>
#include <csignal>
#include <functional>

#include "app/bridge/engine.h"
#include "core/base/error.h"
#include "core/run/control.h"
#include "core/run/run_directory.h"

namespace holo::bridge {

namespace {

QString changeControl(const QString& runFolder, const std::function<void(run::Control&)>& change)
{
    try {
        const run::RunDirectory directory(runFolder.toStdString());
        run::Control control = run::readControl(directory.controlFile());
        change(control);
        run::writeControl(directory.controlFile(), control);
        return {};
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
}

QString signalRun(const QString& runFolder, int signal, bool group)
{
    const run::RunDirectory directory(runFolder.toStdString());
    const auto heartbeat = directory.readHeartbeat();
    if (!heartbeat || !run::isAlive(*heartbeat))
        return RunController::tr("%1: no process of this run is alive.").arg(runFolder);
    if (::kill(static_cast<pid_t>(group ? -heartbeat->pid : heartbeat->pid), signal) == 0)
        return {};
    // Started from a terminal, the engine leads no group of its own.
    if (group && ::kill(static_cast<pid_t>(heartbeat->pid), signal) == 0)
        return {};
    return RunController::tr("%1: process %2 on %3 cannot be signalled from here.").arg(runFolder).arg(heartbeat->pid).arg(QString::fromStdString(heartbeat->host));
}

}  // namespace

QStringList RunController::trainArguments(const QString& project, const QString& arm, qint64 seed)
{
    return {"train", project, "--arm", arm, "--seed", QString::number(seed)};
}

RunController::Started RunController::start(const QString& project, const QString& runFolder, const QString& arm, qint64 seed, const QString& device)
{
    if (!engineExists())
        return {0, tr("%1: the engine is not there; build it or set HOLONOMY_ENGINE.").arg(enginePath())};
    if (!QDir().mkpath(runFolder))
        return {0, tr("%1: the folder cannot be made.").arg(runFolder)};
    // A pause asked for in the last attempt is not meant for this one.
    if (QFile::exists(runFolder + "/control.json"))
        resume(runFolder);
    QProcess process;
    process.setProgram(enginePath());
    QStringList arguments = trainArguments(project, arm, seed);
    if (!device.isEmpty())
        arguments << "--device" << device;
    process.setArguments(arguments);
    process.setWorkingDirectory(project);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("OMP_WAIT_POLICY", "passive");  // spinning workers would take the window's core
    process.setProcessEnvironment(environment);
    const QString log = runFolder + "/worker.log";
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(log, QIODevice::Append);
    process.setStandardErrorFile(log, QIODevice::Append);
    qint64 pid = 0;
    if (!process.startDetached(&pid))
        return {0, tr("%1: cannot be started (%2).").arg(enginePath(), process.errorString())};
    return {pid, {}};
}

QString RunController::pause(const QString& runFolder)
{
    return changeControl(runFolder, [](run::Control& c) { c.pause = true; });
}

QString RunController::resume(const QString& runFolder)
{
    return changeControl(runFolder, [](run::Control& c) { c.pause = false; });
}

QString RunController::checkpointNow(const QString& runFolder)
{
    return changeControl(runFolder, [](run::Control& c) { ++c.checkpoint; });
}

QString RunController::evaluateNow(const QString& runFolder)
{
    return changeControl(runFolder, [](run::Control& c) { ++c.evaluate; });
}

QString RunController::stop(const QString& runFolder) { return signalRun(runFolder, SIGTERM, false); }
QString RunController::kill(const QString& runFolder) { return signalRun(runFolder, SIGKILL, true); }

}  // namespace holo::bridge
