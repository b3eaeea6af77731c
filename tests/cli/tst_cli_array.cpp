#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <memory>
#include <vector>

#include "engine_process.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::test;

// Tasks of a Slurm array: several engines on one project at the same time, each with its own run.
class TestCliArray : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tasksShareAProject()
    {
        const QTemporaryDir folder;
        const QString project = folder.filePath("p");
        QCOMPARE(engine({"new", project, "--param", "train.steps=2", "--param", "eval.protocols=[]", "--param", "eval.every=0"}).code, 0);
        std::vector<std::unique_ptr<QProcess>> tasks;
        for (int index = 0; index < 3; ++index) {
            tasks.push_back(std::make_unique<QProcess>());
            tasks.back()->start(QString(HOLO_BIN_DIR) + "/holonomy-engine", {"--batch", project, "--index", QString::number(index), "--threads", "1", "--json"});
        }
        std::vector<std::string> runs;
        for (const auto& task : tasks) {
            QVERIFY(task->waitForFinished(300'000));
            QVERIFY2(task->exitCode() == 0, task->readAllStandardError().constData());
            const Json doc = parseJson(task->readAllStandardOutput().toStdString(), "standard output");
            QCOMPARE(doc["results"].size(), std::size_t(1));
            runs.push_back(doc["results"][0]["run"].get<std::string>());
        }
        const Json written = readJsonFile(std::filesystem::path((project + "/batch-result.json").toStdString()));
        QCOMPARE(written["results"].size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(written["results"][i]["run"].get<std::string>(), runs[i]);
    }
};

QTEST_GUILESS_MAIN(TestCliArray)
#include "tst_cli_array.moc"
