// The built engine as scripts and schedulers see it: started, stopped, killed, resumed; only exit codes, signals and files are looked at.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <sys/types.h>

#include "test_paths.h"

namespace {

const QString kEngine = QStringLiteral(HOLO_BIN_DIR "/holonomy-engine");

struct Result {
    int code = -1;
    bool crashed = false;
    QByteArray out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Result run(const QStringList& arguments, const QString& fault = {})
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    if (!fault.isEmpty())
        environment.insert("HOLONOMY_FAULT", fault);
    process.setProcessEnvironment(environment);
    process.start(kEngine, arguments);
    process.waitForFinished(110000);
    return {process.exitCode(), process.exitStatus() == QProcess::CrashExit, process.readAllStandardOutput(), process.readAllStandardError()};
}

QByteArray readAll(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

// Small steps of the smallest model that has every part.
const char* const kProject = R"({"format": 1, "name": "small",
  "model": {"layers": 2, "hidden": 16, "heads": 2, "context": 32, "dropout": 0.1},
  "data": {"synthetic": {"documents": 200, "val_documents": 8}},
  "train": {"steps": 20, "batch": 2, "warmup": 5, "checkpoint_every": 5, "keep": 2, "precision": "fp32"},
  "eval": {"protocols": []},
  "arms": [{"name": "standard", "scheme": {"kind": "standard"}}, {"name": "mobius", "scheme": {"kind": "mobius"}}],
  "seeds": [1, 2]})";

}  // namespace

class TestEngineProcess : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_count = 0;

    QString project(const QByteArray& text = kProject)
    {
        const QString folder = m_folder.filePath(QString("p%1").arg(++m_count));
        QDir().mkpath(folder);
        QFile file(folder + "/project.json");
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return folder;
    }

    static QString runFolder(const QString& project, const QString& arm = "standard", int seed = 1)
    {
        for (const QString& name : QDir(project + "/runs").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const auto json = QJsonDocument::fromJson(readAll(project + "/runs/" + name + "/run.json")).object();
            if (json["arm"].toString() == arm && json["seed"].toInt() == seed)
                return project + "/runs/" + name;
        }
        return {};
    }

    static QByteArray weights(const QString& run, int step)
    {
        const QString folder = QString("%1/checkpoints/step-%2/").arg(run).arg(step);
        return readAll(folder + "model.safetensors") + readAll(folder + "optimizer.safetensors");
    }

    static QStringList checkpoints(const QString& run) { return QDir(run + "/checkpoints").entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot); }

    static QList<int> steps(const QString& run, int attempt)
    {
        QList<int> list;
        for (const QByteArray& line : readAll(run + "/events.jsonl").split('\n')) {
            const auto json = QJsonDocument::fromJson(line).object();
            if (json["type"].toString() == "step" && json["attempt"].toInt() == attempt)
                list.append(json["step"].toInt());
        }
        return list;
    }

    static QJsonObject exitOf(const QString& run) { return QJsonDocument::fromJson(readAll(run + "/exit.json")).object(); }

    QByteArray m_unbroken;  // weights of arm standard, seed 1, after 20 steps

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::exists(kEngine));
        const QString p = project();
        const Result result = run({"--batch", p, "--arm", "standard", "--seed", "1", "--threads", "1", "--json"});
        QVERIFY2(result.code == 0, result.err);
        const QJsonArray results = result.json()["results"].toArray();
        QCOMPARE(results.size(), 1);
        const QJsonObject row = results.first().toObject();
        QCOMPARE(row["class"].toString(), QString("done"));
        QCOMPARE(row["step"].toInt(), 20);
        QCOMPARE(row["tokens"].toInt(), 20 * 2 * 32);
        QVERIFY(row["train_loss"].toDouble() > 0);
        const QString folder = p + "/runs/" + row["run"].toString();
        QCOMPARE(folder, runFolder(p));
        QCOMPARE(checkpoints(folder), QStringList({"step-15", "step-20"}));
        m_unbroken = weights(folder, 20);
        QVERIFY(m_unbroken.size() > 10000);
        QCOMPARE(exitOf(folder)["class"].toString(), QString("done"));
        QVERIFY(QFile::exists(p + "/batch-result.json"));
        QCOMPARE(steps(folder, 1).size(), 20);
    }

    void stoppedAndResumedEqualsUnbroken()
    {
        const QString p = project();
        const QStringList base = {"--batch", p, "--arm", "standard", "--seed", "1", "--threads", "1"};
        QCOMPARE(run(base + QStringList{"--stop-at", "10"}).code, 0);
        const QString folder = runFolder(p);
        QVERIFY(checkpoints(folder).contains("step-10"));
        QCOMPARE(run(base).code, 0);
        QVERIFY(weights(folder, 20) == m_unbroken);
        QCOMPARE(steps(folder, 1), QList<int>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        QCOMPARE(steps(folder, 2), QList<int>({11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
        // Nothing is left to do: no new attempt.
        QCOMPARE(run(base).code, 0);
        QVERIFY(steps(folder, 3).isEmpty());
    }

    void killedInsideASaveResumes()
    {
        const QString p = project();
        const QStringList base = {"train", p, "--arm", "standard", "--seed", "1", "--threads", "1"};
        const Result killed = run(base, "checkpoint:kill@2");
        QVERIFY(killed.crashed);
        const QString folder = runFolder(p);
        QVERIFY(checkpoints(folder).contains(".step-10.tmp"));
        const Result resumed = run(base);
        QVERIFY2(resumed.code == 0, resumed.err);
        QVERIFY2(resumed.err.contains(".step-10.tmp"), resumed.err);
        QVERIFY(weights(folder, 20) == m_unbroken);
        QCOMPARE(checkpoints(folder), QStringList({"step-15", "step-20"}));
        QCOMPARE(steps(folder, 1).size(), 10);
        QCOMPARE(steps(folder, 2).first(), 6);
    }

    void damagedCheckpointIsPassedOver()
    {
        const QString p = project();
        const QStringList base = {"train", p, "--arm", "standard", "--seed", "1", "--threads", "1"};
        QCOMPARE(run(base + QStringList{"--stop-at", "10"}).code, 0);
        const QString folder = runFolder(p);
        QFile file(folder + "/checkpoints/step-10/model.safetensors");
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.seek(file.size() - 3);
        file.write("x");
        file.close();
        const Result resumed = run(base);
        QVERIFY2(resumed.code == 0, resumed.err);
        QVERIFY2(resumed.err.contains("step-10"), resumed.err);
        QVERIFY(weights(folder, 20) == m_unbroken);
    }

    void sigtermSavesAndLeaves_data()
    {
        QTest::addColumn<bool>("batch");
        QTest::newRow("worker") << false;
        QTest::newRow("batch") << true;
    }

    void sigtermSavesAndLeaves()
    {
        QFETCH(bool, batch);
        const QString p = project();
        const QStringList base = (batch ? QStringList{"--batch", p} : QStringList{"train", p}) + QStringList{"--arm", "standard", "--seed", "1", "--threads", "1"};
        const QStringList parameters = {"--param", "train.steps=100000", "--param", "train.checkpoint_every=0"};
        QProcess process;
        process.start(kEngine, base + parameters);
        QTRY_VERIFY_WITH_TIMEOUT(!runFolder(p).isEmpty() && steps(runFolder(p), 1).size() > 3, 60000);
        ::kill(pid_t(process.processId()), SIGTERM);
        QVERIFY(process.waitForFinished(30000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 75);
        const QString folder = runFolder(p);
        QCOMPARE(exitOf(folder)["code"].toInt(), 75);
        const int last = steps(folder, 1).last();
        QVERIFY(checkpoints(folder).contains(QString("step-%1").arg(last)));
        QCOMPARE(run(base + parameters + QStringList{"--stop-at", QString::number(last + 2)}).code, 0);
        QCOMPARE(steps(folder, 2), QList<int>({last + 1, last + 2}));
    }

    void childrenDieWithTheBatch()
    {
        const QString p = project();
        QProcess process;
        process.start(kEngine, {"--batch", p, "--jobs", "2", "--threads", "1", "--param", "train.steps=1000000"});
        QTRY_VERIFY_WITH_TIMEOUT(!steps(runFolder(p, "standard", 1), 1).isEmpty() && !steps(runFolder(p, "standard", 2), 1).isEmpty(), 60000);
        QList<int> pids;
        for (const int seed : {1, 2})
            pids.append(QJsonDocument::fromJson(readAll(runFolder(p, "standard", seed) + "/heartbeat.json")).object()["pid"].toInt());
        process.kill();
        QVERIFY(process.waitForFinished(10000));
        for (const int pid : pids) {
            QVERIFY(pid > 0);
            QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0 || readAll(QString("/proc/%1/stat").arg(pid)).contains(") Z"), 5000);
        }
    }

    void nonFiniteStops()
    {
        const QString p = project();
        const Result result = run({"--batch", p, "--arm", "standard", "--seed", "1", "--json"}, "grad:nan@3");
        QCOMPARE(result.code, 7);
        const QJsonObject row = result.json()["results"].toArray().first().toObject();
        QCOMPARE(row["class"].toString(), QString("numeric-stop"));
        QVERIFY2(row["message"].toString().contains("step 3"), qPrintable(row["message"].toString()));
        QVERIFY(checkpoints(runFolder(p)).contains("step-2"));
    }

    void oneFailureLeavesTheOthers()
    {
        QByteArray text = kProject;
        text.replace(R"({"name": "mobius", "scheme": {"kind": "mobius"}})", R"({"name": "gone", "scheme": {"kind": "mobius"}, "data": {"source": ["/nowhere/tokens.txt"]}})");
        const QString p = project(text);
        const Result result = run({"--batch", p, "--seed", "1", "--json"});
        QCOMPARE(result.code, 8);
        const QJsonArray rows = result.json()["results"].toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0].toObject()["exit"].toInt(), 0);
        QCOMPARE(rows[1].toObject()["exit"].toInt(), 3);
        QVERIFY(rows[1].toObject()["message"].toString().contains("/nowhere/tokens.txt"));
    }

    void refusals_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<int>("code");
        QTest::newRow("unknown arm") << QStringList{"--arm", "standart"} << 2;
        QTest::newRow("unknown seed") << QStringList{"--seed", "77"} << 2;
        QTest::newRow("index too high") << QStringList{"--index", "4"} << 2;
        QTest::newRow("no arms") << QStringList{"--param", "arms=[]"} << 2;
        QTest::newRow("no seeds") << QStringList{"--param", "seeds=[]"} << 2;
        QTest::newRow("misspelt field") << QStringList{"--param", "train.stepz=3"} << 2;
    }

    void refusals()
    {
        QFETCH(QStringList, more);
        QFETCH(int, code);
        const QString p = project();
        const Result result = run(QStringList{"--batch", p} + more);
        QVERIFY(!result.crashed);
        QCOMPARE(result.code, code);
        QVERIFY(!result.err.isEmpty());
        QVERIFY(!QFile::exists(p + "/runs"));
    }

    // An arm that goes on from another waits for it, wherever it stands in the list, and its record says with what it was trained and runs.
    void armsGoOnFromOthers()
    {
        QByteArray text = kProject;
        text.replace(R"([{"name": "standard", "scheme": {"kind": "standard"}}, {"name": "mobius", "scheme": {"kind": "mobius"}}])",
            R"([{"name": "longer", "scheme": "yarn", "from": "fope", "model.context": 128, "train.steps": 3}, {"name": "grown", "scheme": "fope", "from": "fope", "model.context": 128, "train.steps": 2},
                {"name": "fope", "scheme": "fope", "train.steps": 6}])");
        text.replace("[1, 2]", "[1]");
        const QString p = project(text);
        const QJsonArray early = run({"--batch", p, "--stop-at", "2", "--jobs", "2", "--threads", "1", "--json", "--quiet"}).json()["results"].toArray();
        QCOMPARE(early.size(), 3);
        QCOMPARE(early[0].toObject()["exit"].toInt(), 0);
        QVERIFY(early[0].toObject()["message"].toString().contains("finished first"));
        const Result result = run({"--batch", p, "--jobs", "2", "--threads", "1", "--json"});
        QVERIFY2(result.code == 0, result.err);
        const QString source = runFolder(p, "fope");
        for (const auto& [arm, steps] : {std::pair{"longer", 3}, {"grown", 2}}) {
            const auto record = QJsonDocument::fromJson(readAll(runFolder(p, arm) + "/run.json")).object();
            const QJsonObject initial = record["initial"].toObject();
            QCOMPARE(initial["run"].toString(), QFileInfo(source).fileName());
            QCOMPARE(initial["step"].toInt(), 6);
            QCOMPARE(initial["trained_context"].toInt(), 32);
            QCOMPARE(initial["trained_with"].toObject()["context"].toInt(), 32);
            QCOMPARE(exitOf(runFolder(p, arm))["step"].toInt(), steps);
        }
        const auto runsWith = [&](const char* arm) { return QJsonDocument::fromJson(readAll(runFolder(p, arm) + "/run.json")).object()["initial"].toObject()["runs_with"].toObject(); };
        QCOMPARE(runsWith("longer")["original"].toInt(), 32);
        QCOMPARE(runsWith("grown")["original"].toArray(), QJsonArray({32}));
        QCOMPARE(runsWith("grown")["context"].toInt(), 128);
        QCOMPARE(run({"--batch", p, "--arm", "grown", "--threads", "1"}).code, 0);
        QCOMPARE(steps(runFolder(p, "grown"), 2).size(), 0);
    }

    // The same by hand, with every sort of extension: what is left out comes from the checkpoint's training, not from the new context.
    void trainingGoesOnWithAnotherScheme()
    {
        const QString p = project();
        QCOMPARE(run({"--batch", p, "--arm", "standard", "--seed", "1", "--param", "train.steps=2", "--threads", "1"}).code, 0);
        const QString source = runFolder(p);
        for (const char* scheme : {"yarn", "yarn:ramp=turn", "dynamic-ntk:factor=2", "llama3:factor=4", "longrope:short=[1,1,1,1],long=[1,1,2,4]", "linear", "ntk"}) {
            const Result dry = run({"train", source, "--scheme", scheme, "--param", "model.context=128", "--param", "train.steps=2", "--dry-run", "--json"});
            QVERIFY2(dry.code == 0, dry.err);
            const QJsonObject with = dry.json()["initial"].toObject()["runs_with"].toObject();
            if (QByteArray(scheme) == "linear" || QByteArray(scheme) == "ntk")
                QCOMPARE(with["factor"].toInt(), 4);
            else
                QCOMPARE(with["original"].toInt(), 32);
        }
        const Result trained = run({"train", source, "--scheme", "yarn", "--param", "model.context=128", "--param", "train.steps=2", "--name", "long", "--threads", "1", "--json"});
        QVERIFY2(trained.code == 0, trained.err);
        QCOMPARE(trained.json()["initial"].toObject()["trained_with"].toObject()["kind"].toString(), QString("standard"));
        const QJsonObject spec = QJsonDocument::fromJson(readAll(runFolder(p, "long") + "/run.json")).object()["spec"].toObject();
        QCOMPARE(spec["scheme"].toObject()["original"].toInt(), 32);
        const Result again = run({"eval", runFolder(p, "long"), "--protocol", "perplexity", "--lengths", "64", "--no-write", "--json"});
        QVERIFY2(again.code == 0, again.err);
        QCOMPARE(again.json()["scheme_run"].toObject()["original"].toInt(), 32);
        // Kept as it is, a ladder made for a context stays made for it.
        const Result kept = run({"train", source, "--param", "model.context=128", "--scheme", "mobius:context=32", "--param", "train.steps=1", "--name", "m", "--threads", "1", "--json"});
        QVERIFY2(kept.code == 0, kept.err);
        const Result longer = run({"train", runFolder(p, "m"), "--param", "model.context=256", "--dry-run", "--json"});
        QCOMPARE(longer.json()["initial"].toObject()["runs_with"].toObject()["context"].toInt(), 32);
    }

    void aSecondBatchIsTurnedAway()
    {
        const QString p = project();
        QProcess first;
        first.start(kEngine, {"--batch", p, "--arm", "standard", "--seed", "1", "--param", "train.steps=1000000"});
        QTRY_VERIFY_WITH_TIMEOUT(!runFolder(p).isEmpty() && !steps(runFolder(p), 1).isEmpty(), 60000);
        const Result second = run({"--batch", p});
        QCOMPARE(second.code, 6);
        QVERIFY2(second.err.contains(QByteArray::number(first.processId())), second.err);
        first.terminate();
        QVERIFY(first.waitForFinished(30000));
        QCOMPARE(first.exitCode(), 75);
    }
};

QTEST_GUILESS_MAIN(TestEngineProcess)
#include "tst_engine_process.moc"
