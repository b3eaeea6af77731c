#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <set>

#include "engine_process.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::test;

// --batch --dry-run on every sample project and template: all runs, their sizes, and nothing written.
class TestCliDryRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samples_data()
    {
        QTest::addColumn<int>("runs");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("tiny") << 4 << qint64(122'880);
        QTest::newRow("text") << 6 << qint64(0);
        QTest::newRow("lottery") << 40 << qint64(122'880);
        QTest::newRow("zoo") << 39 << qint64(122'880);
        QTest::newRow("mobius-160m") << 36 << qint64(162'322'944);
        QTest::newRow("fope-60m") << 5 << qint64(0);
    }

    void samples()
    {
        QFETCH(int, runs);
        QFETCH(qint64, parameters);
        const QTemporaryDir folder;
        const QString project = folder.filePath("p");
        QVERIFY(QDir().mkpath(project));
        QVERIFY(QFile::copy(QString(HOLO_SOURCE_DIR "/projects/") + QTest::currentDataTag() + "/project.json", project + "/project.json"));
        const Outcome outcome = engine({"--batch", project, "--dry-run", "--json"});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const Json doc = outcome.document();
        QCOMPARE(int(doc["runs"].size()), runs);
        std::set<std::string> ids;
        for (const Json& row : doc["runs"]) {
            QVERIFY(ids.insert(row["run"].get<std::string>()).second);
            if (parameters > 0)
                QCOMPARE(qint64(row["parameters"].get<std::int64_t>()), parameters);
            QVERIFY(row["memory_bytes"].get<std::int64_t>() > row["checkpoint_bytes"].get<std::int64_t>());
            QVERIFY(row["seconds"].is_null());
            QVERIFY(row["spec"].contains("train") && row["scheme"].contains("kind"));
        }
        QCOMPARE(QDir(project).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{"project.json"});
    }

    void templatesAtTheirSizes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("size");
        QTest::addColumn<int>("runs");
        const auto row = [](const char* name, const char* size, int runs) { QTest::addRow("%s %s", name, size) << QString(name) << QString(size) << runs; };
        row("mobius-paper", "paper", 48);
        row("mobius-paper", "tiny", 48);
        row("mobius-paper", "160m", 36);
        row("mobius-paper", "410m", 12);
        row("fope-paper", "paper", 20);
        row("fope-paper", "tiny", 26);
        row("fope-paper", "20m", 6);
        row("fope-paper", "60m", 8);
        row("fope-paper", "180m", 8);
        row("fope-paper", "1200m", 8);
        row("twisted-sweep", "tiny", 40);
        row("twisted-sweep", "160m", 40);
        row("twisted-sweep", "410m", 40);
        row("controls", "tiny", 36);
        row("controls", "160m", 36);
        row("controls", "410m", 36);
    }

    void templatesAtTheirSizes()
    {
        QFETCH(QString, name);
        QFETCH(QString, size);
        QFETCH(int, runs);
        const QTemporaryDir folder;
        const QString project = folder.filePath("p");
        const Outcome made = engine({"new", project, "--template", name, "--size", size, "--json"});
        QVERIFY2(made.code == 0, made.err.constData());
        QCOMPARE(made.document()["runs"].get<int>(), runs);
        const Outcome outcome = engine({"--batch", project, "--dry-run", "--json"});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(int(outcome.document()["runs"].size()), runs);
        QCOMPARE(engine({"new", project + "2", "--template", name, "--size", "huge"}).code, 2);
    }

    void selectsOneRun()
    {
        const QTemporaryDir folder;
        const QString project = folder.filePath("p");
        QCOMPARE(engine({"new", project}).code, 0);
        const Json byIndex = engine({"--batch", project, "--index", "3", "--dry-run", "--json"}).document();
        const Json byName = engine({"--json", "--batch", project, "--arm", "mobius25", "--seed", "2", "--dry-run"}).document();
        QCOMPARE(byIndex["runs"].size(), std::size_t(1));
        QCOMPARE(byIndex["runs"][0]["run"].get<std::string>(), byName["runs"][0]["run"].get<std::string>());
        for (const QStringList& wrong : {QStringList{"--index", "4"}, {"--arm", "mobius"}, {"--seed", "9"}, {"--param", "train.stepz=1"}, {"--param", "arms=[]"}, {"--param", "seeds=[]"}})
            QCOMPARE(engine(QStringList{"--batch", project, "--dry-run"} + wrong).code, 2);
        QCOMPARE(engine({"--batch", project + "x", "--dry-run"}).code, 3);
    }
};

QTEST_GUILESS_MAIN(TestCliDryRun)
#include "tst_cli_dry_run.moc"
