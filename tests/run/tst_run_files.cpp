// The files of a run as both processes rely on them: events, control, states, checkpoints, the list of a batch.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/batch.h"
#include "core/run/child_process.h"
#include "core/run/control.h"
#include "core/run/event_log.h"
#include "core/run/evaluation_digest.h"
#include "core/run/heartbeat.h"
#include "core/run/machine.h"
#include "core/run/run_directory.h"

using namespace holo;
using namespace holo::run;

namespace {

void writeText(const fs::path& file, const std::string& text)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

std::vector<Json> linesOf(const fs::path& file)
{
    std::vector<Json> lines;
    LineTail tail(file);
    for (const std::string& line : tail.poll())
        if (!line.empty())
            try {
                lines.push_back(parseJson(line, file.string()));
            } catch (const Error&) {
                lines.push_back(Json("broken"));
            }
    return lines;
}

// A complete checkpoint of two files.
void writeCheckpoint(const RunDirectory& run, std::int64_t step)
{
    const fs::path folder = run.checkpointsFolder() / ("step-" + std::to_string(step));
    writeText(folder / "model.safetensors", "weights " + std::to_string(step));
    writeText(folder / "state.json", "{}");
    Json files = Json::object();
    for (const char* name : {"model.safetensors", "state.json"})
        files[name] = {{"bytes", fs::file_size(folder / name)}, {"sha256", sha256OfFile(folder / name)}};
    writeText(folder / "manifest.json", dumpPretty({{"format", 1}, {"step", step}, {"files", files}}));
}

}  // namespace

class TestRunFiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_temporary;
    int m_count = 0;

    fs::path newFolder()
    {
        const fs::path folder = fs::path(m_temporary.path().toStdString()) / std::to_string(++m_count);
        fs::create_directories(folder);
        return folder;
    }

private Q_SLOTS:
    void attemptsFollowEachOther()
    {
        const fs::path file = newFolder() / "events.jsonl";
        {
            EventLog log(file, {{"seed", 4}});
            QCOMPARE(log.attempt(), 1);
            log.step({1, 64, 2.5, 0.5, 1e-3, 0.1, 640, ""});
            log.step({2, 128, std::numeric_limits<double>::quiet_NaN(), 0.5, 1e-3, 0.2, 640, "loss is not finite"});
        }
        {
            std::ofstream(file, std::ios::binary | std::ios::app) << "{\"type\":\"step\",\"attempt\":1,\"ste";  // killed while writing
        }
        EventLog log(file, {{"seed", 4}});
        QCOMPARE(log.attempt(), 2);
        log.note("resumed", 1);
        const auto lines = linesOf(file);
        QCOMPARE(lines.size(), 6u);
        QCOMPARE(lines[0].at("format"), Json(1));
        QCOMPARE(lines[0].at("type"), Json("start"));
        QCOMPARE(lines[1].at("loss"), Json(2.5));
        QVERIFY(!lines[1].contains("skipped"));
        QCOMPARE(lines[2].at("loss"), Json("nan"));
        QCOMPARE(lines[3], Json("broken"));
        QCOMPARE(lines[4].at("attempt"), Json(2));
        QCOMPARE(lines[5].at("text"), Json("resumed"));
    }

    void controlReadsBackAndForgivesRubbish()
    {
        const fs::path file = newFolder() / "control.json";
        QVERIFY(!readControl(file).pause);
        writeControl(file, {true, 40, 3, 2});
        const Control control = readControl(file);
        QVERIFY(control.pause);
        QCOMPARE(control.stopAt, 40);
        QCOMPARE(control.checkpoint, 3);
        QCOMPARE(control.evaluate, 2);
        for (const char* text : {"", "{", "[]", "{\"pause\": 3}", "{\"checkpoint\": \"x\"}"}) {
            writeText(file, text);
            QVERIFY(!readControl(file).pause);
            QCOMPARE(readControl(file).checkpoint, 0);
        }
    }

    void statesComeFromFilesAndProcess()
    {
        const RunDirectory run(newFolder());
        QCOMPARE(run.state(), RunState::Waiting);
        {
            HeartbeatWriter heartbeat(run, 7);
            QCOMPARE(run.state(), RunState::Running);
            QCOMPARE(run.readHeartbeat()->step, 7);
        }
        Heartbeat dead = *run.readHeartbeat();
        dead.processStart += 1;  // another process has the pid now
        run.writeHeartbeat(dead);
        QCOMPARE(run.state(), RunState::Interrupted);
        run.writeExit({0, "done", "Done.", 9, 100});
        QCOMPARE(run.state(), RunState::Done);
        run.writeExit({75, "interrupted", "", 9, 100});
        QCOMPARE(run.state(), RunState::Interrupted);
        run.writeExit({7, "numeric-stop", "", 9, 100});
        QCOMPARE(run.state(), RunState::Failed);
    }

    void newestCompleteCheckpointWins()
    {
        const RunDirectory run(newFolder());
        for (const int step : {5, 10, 15})
            writeCheckpoint(run, step);
        QCOMPARE(run.newestCheckpoint(true)->step, 15);
        writeText(run.checkpointsFolder() / "step-15" / "state.json", "{ }");  // another size
        std::vector<std::string> skipped;
        QCOMPARE(run.newestCheckpoint(true, &skipped)->step, 10);
        QCOMPARE(skipped.size(), 1u);
        writeText(run.checkpointsFolder() / "step-10" / "state.json", "[]");  // the same size
        QCOMPARE(run.newestCheckpoint(false)->step, 10);
        QCOMPARE(run.newestCheckpoint(true)->step, 5);
        fs::create_directories(run.checkpointsFolder() / ".step-20.tmp");
        QCOMPARE(run.newestCheckpoint(true)->step, 5);
        fs::remove(run.checkpointsFolder() / "step-5" / "model.safetensors");
        QVERIFY(!run.newestCheckpoint(true));
    }

    void evaluationsAreFoundByStep()
    {
        const RunDirectory run(newFolder());
        writeText(run.evalsFolder() / "needle-step-20" / "summary.json", R"({"mean": 0.5, "chance": 0.03125, "cells": []})");
        writeText(run.evalsFolder() / "perplexity-step-20" / "summary.json", R"({"rows": [{"length": 64, "nll": 3.0}]})");
        writeText(run.evalsFolder() / "needle-step-10" / "summary.json", R"({"mean": 0.1, "chance": 0.03125})");
        const Json evals = evaluationsAt(run, 20);
        QCOMPARE(evals.size(), 2u);
        QCOMPARE(evals.at("needle").at("mean"), Json(0.5));
        QCOMPARE(evals.at("perplexity").at("rows").size(), 1u);
        QVERIFY(evaluationsAt(run, 30).empty());
    }

    void listIsArmByArm()
    {
        const fs::path folder = newFolder();
        config::writeProject(folder / "project.json", config::projectTemplate("tiny"));
        BatchOptions options;
        options.projects = {folder};
        options.parameters = {config::parseParameter("seeds=[2,5]")};
        const auto all = listJobs(options);
        QVERIFY(all.size() >= 4 && all.size() % 2 == 0);
        QCOMPARE(all[0].spec.arm, all[1].spec.arm);
        QCOMPARE(all[0].spec.seed, 2);
        QCOMPARE(all[1].spec.seed, 5);
        QCOMPARE(all[0].folder, folder / "runs" / config::runId(all[0].spec));
        options.index = 3;
        const auto one = listJobs(options);
        QCOMPARE(one.size(), 1u);
        QCOMPARE(one[0].folder, all[3].folder);
        options.index = std::int64_t(all.size());
        QVERIFY_EXCEPTION_THROWN(listJobs(options), Error);
        options.index = -1;
        options.seed = 3;
        QVERIFY_EXCEPTION_THROWN(listJobs(options), Error);
    }

    void childrenEndWithTheirCode()
    {
        const fs::path folder = newFolder();
        ChildProcess child({"/bin/sh", "-c", "echo hello; echo trouble >&2; exit 5"}, folder / "log");
        QTRY_VERIFY(child.poll().has_value());
        QCOMPARE(*child.poll(), 5);
        QCOMPARE(readFile(folder / "log"), std::string("hello\ntrouble\n"));

        ChildProcess sleeper({"/bin/sleep", "60"}, folder / "log");
        QVERIFY(!sleeper.poll());
        sleeper.signal(SIGTERM);
        QTRY_VERIFY(sleeper.poll().has_value());
        QCOMPARE(*sleeper.poll(), 128 + SIGTERM);
        ChildProcess missing({"/nowhere/program"}, folder / "log");
        QTRY_COMPARE(missing.poll().value_or(-1), 127);
    }

    void childrenDoNotOutliveTheirParent()
    {
        const fs::path folder = newFolder();
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t middle = ::fork();
        if (middle == 0) {
            ChildProcess child({"/bin/sleep", "60"}, folder / "log");
            const pid_t pid = child.pid();
            if (::write(ends[1], &pid, sizeof pid) != sizeof pid)
                ::_exit(1);
            ::pause();
            ::_exit(0);
        }
        pid_t grandchild = 0;
        QCOMPARE(::read(ends[0], &grandchild, sizeof grandchild), ssize_t(sizeof grandchild));
        QCOMPARE(::kill(grandchild, 0), 0);
        ::kill(middle, SIGKILL);
        int status = 0;
        QCOMPARE(::waitpid(middle, &status, 0), middle);
        const auto gone = [&] {
            QFile stat(QString("/proc/%1/stat").arg(grandchild));
            return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z");
        };
        QTRY_VERIFY(gone());
        ::close(ends[0]);
        ::close(ends[1]);
    }

    void threadsStayWithinTheCores()
    {
        QVERIFY(availableCores() >= 1);
        QCOMPARE(threadsFor(1), 1);
        QCOMPARE(threadsFor(0), availableCores());
        QCOMPARE(threadsFor(1 << 20), availableCores());
    }
};

QTEST_GUILESS_MAIN(TestRunFiles)
#include "tst_run_files.moc"
