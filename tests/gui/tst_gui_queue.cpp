#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "core/base/json.h"
#include "core/run/control.h"
#include "core/run/run_directory.h"

using namespace holo;
using namespace holo::bridge;

// The queue against a stand-in engine: a shell script that writes a heartbeat and an exit file as the real one does.
class GuiQueue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void oneAfterTheOther();
    void survivesARestart();
    void comesBackPausedAfterACrash();
    void runOutlivesItsStarter();
    void killedEngineReadsInterrupted();
    void missingEnginePausesTheQueue();
    void controlFile();
    void reorderAndRemove();

private:
    QString runFolder(const QString& run) const { return m_dir->path() + "/runs/" + run; }
    void writeEngine(const QString& body);
    std::unique_ptr<QTemporaryDir> m_dir;
};

void GuiQueue::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    writeEngine("sleep 0.3");
}

void GuiQueue::cleanup() { qunsetenv("HOLONOMY_ENGINE"); }

void GuiQueue::writeEngine(const QString& body)
{
    QFile engine(m_dir->filePath("engine.sh"));
    QVERIFY(engine.open(QIODevice::WriteOnly | QIODevice::Truncate));
    // train PROJECT --arm A --seed S: the run folder is A-sS here.
    engine.write(QStringLiteral("#!/bin/bash\nrun=\"$2/runs/$4-s$6\"\nmkdir -p \"$run\"\n"
                                "start=$(awk '{print $22}' /proc/$$/stat)\n"
                                "echo \"{\\\"pid\\\": $$, \\\"process_start\\\": $start, \\\"host\\\": \\\"$(hostname)\\\", \\\"time\\\": $(date +%s), \\\"step\\\": 1}\" > \"$run/heartbeat.json\"\n"
                                "echo \"words of the worker\" >&2\n"
                                "%1\n"
                                "echo '{\"code\": 0, \"class\": \"done\", \"message\": \"\", \"step\": 2}' > \"$run/exit.json\"\n")
                     .arg(body)
                     .toUtf8());
    engine.close();
    engine.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("HOLONOMY_ENGINE", engine.fileName().toUtf8());
}

void GuiQueue::oneAfterTheOther()
{
    RunController controller;
    JobQueue queue(controller);
    queue.setDevices({"cpu"});
    queue.open(m_dir->path());
    queue.add({{"a", 1, "a-s1", false, 0, 0, {}}, {"a", 2, "a-s2", false, 0, 0, {}}, {"a", 1, "a-s1", false, 0, 0, {}}});
    QCOMPARE(queue.jobs().size(), std::size_t(2));
    QCOMPARE(queue.running(), 1);
    QSignalSpy ended(&queue, &JobQueue::jobEnded);
    QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 2, 15000);
    QCOMPARE(ended.at(0).at(0).toString(), QString("a-s1"));
    QCOMPARE(run::RunDirectory(runFolder("a-s2").toStdString()).state(), run::RunState::Done);
    QFile log(runFolder("a-s1") + "/worker.log");
    QVERIFY(log.open(QIODevice::ReadOnly));
    QVERIFY(log.readAll().contains("words of the worker"));
}

void GuiQueue::survivesARestart()
{
    RunController controller;
    {
        JobQueue queue(controller);
        queue.setDevices({});
        queue.open(m_dir->path());
        queue.add({{"a", 1, "a-s1", false, 0, 0, {}}, {"b", 7, "b-s7", false, 0, 0, {}}});
        queue.close();
    }
    JobQueue queue(controller);
    queue.setDevices({});
    queue.open(m_dir->path());
    QVERIFY(!queue.isPaused());
    QCOMPARE(queue.waiting(), 2);
    QCOMPARE(queue.jobs()[1].seed, qint64(7));
}

void GuiQueue::comesBackPausedAfterACrash()
{
    RunController controller;
    auto* crashed = new JobQueue(controller);
    crashed->setDevices({});
    crashed->open(m_dir->path());
    crashed->add({{"a", 1, "a-s1", false, 0, 0, {}}});
    delete crashed;  // without close(): what a kill leaves behind
    JobQueue queue(controller);
    queue.setDevices({"cpu"});
    queue.open(m_dir->path());
    QVERIFY(queue.isPaused());
    QVERIFY(queue.cameBackPaused());
    queue.tick();
    QCOMPARE(queue.running(), 0);
    queue.setPaused(false);
    QCOMPARE(queue.running(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(queue.jobs().size(), std::size_t(0), 10000);
}

void GuiQueue::runOutlivesItsStarter()
{
    RunController controller;
    writeEngine("sleep 1");
    const auto started = controller.start(m_dir->path(), runFolder("a-s1"), "a", 1, {});
    QVERIFY2(started.problem.isEmpty(), qPrintable(started.problem));
    const run::RunDirectory directory(runFolder("a-s1").toStdString());
    QTRY_COMPARE_WITH_TIMEOUT(directory.state(), run::RunState::Running, 5000);
    // A session of its own: neither our death nor our terminal's reaches it.
    QVERIFY(::getsid(static_cast<pid_t>(started.pid)) != ::getsid(0));
    QTRY_COMPARE_WITH_TIMEOUT(directory.state(), run::RunState::Done, 10000);
}

void GuiQueue::killedEngineReadsInterrupted()
{
    RunController controller;
    writeEngine("sleep 30");
    controller.start(m_dir->path(), runFolder("a-s1"), "a", 1, {});
    const run::RunDirectory directory(runFolder("a-s1").toStdString());
    QTRY_COMPARE_WITH_TIMEOUT(directory.state(), run::RunState::Running, 5000);
    QCOMPARE(controller.kill(runFolder("a-s1")), QString());
    QTRY_COMPARE_WITH_TIMEOUT(directory.state(), run::RunState::Interrupted, 5000);
    model::RunRow row;
    row.state = run::stateName(directory.state());
    QVERIFY(RunController::canStart(row));
    QVERIFY(!RunController::canStop(row));
    QVERIFY(!controller.stop(runFolder("a-s1")).isEmpty());
}

void GuiQueue::missingEnginePausesTheQueue()
{
    qputenv("HOLONOMY_ENGINE", "/nowhere/holonomy-engine");
    RunController controller;
    JobQueue queue(controller);
    queue.setDevices({"cpu"});
    QSignalSpy failed(&queue, &JobQueue::failed);
    queue.open(m_dir->path());
    queue.add({{"a", 1, "a-s1", false, 0, 0, {}}});
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed.at(0).at(0).toString().contains("/nowhere/holonomy-engine"));
    QVERIFY(queue.isPaused());
    QCOMPARE(queue.waiting(), 1);
}

void GuiQueue::controlFile()
{
    RunController controller;
    QDir().mkpath(runFolder("r"));
    QCOMPARE(controller.pause(runFolder("r")), QString());
    QCOMPARE(controller.checkpointNow(runFolder("r")), QString());
    QCOMPARE(controller.checkpointNow(runFolder("r")), QString());
    QCOMPARE(controller.evaluateNow(runFolder("r")), QString());
    auto control = run::readControl((runFolder("r") + "/control.json").toStdString());
    QVERIFY(control.pause);
    QCOMPARE(control.checkpoint, std::int64_t(2));
    QCOMPARE(control.evaluate, std::int64_t(1));
    controller.resume(runFolder("r"));
    control = run::readControl((runFolder("r") + "/control.json").toStdString());
    QVERIFY(!control.pause);
    QCOMPARE(control.checkpoint, std::int64_t(2));
}

void GuiQueue::reorderAndRemove()
{
    RunController controller;
    JobQueue queue(controller);
    queue.setDevices({});
    queue.open(m_dir->path());
    queue.add({{"a", 1, "r1", false, 0, 0, {}}, {"a", 2, "r2", false, 0, 0, {}}, {"a", 3, "r3", false, 0, 0, {}}});
    queue.move(2, 0);
    QCOMPARE(queue.jobs()[0].run, QString("r3"));
    queue.removeWaiting(1);
    QCOMPARE(queue.jobs().size(), std::size_t(2));
    queue.move(0, 9);
    queue.removeWaiting(-1);
    QCOMPARE(queue.jobs()[0].run, QString("r3"));
    queue.clearWaiting();
    QVERIFY(queue.jobs().empty());
}

QTEST_GUILESS_MAIN(GuiQueue)
#include "tst_gui_queue.moc"
