#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/files.h"
#include "core/config/project.h"
#include "core/interop/tensorboard.h"
#include "core/run/run_directory.h"
#include "engine_process.h"

using namespace holo;
using namespace holo::test;

namespace fs = std::filesystem;

// Verbs that read a project's files: a project with two finished runs, written by hand.
class TestCliProject : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    fs::path m_project;

    // A finished run with a needle grid of 2 × 2 cells of ten trials, all but the first at `exact` right.
    void writeRun(const config::RunSpec& spec, int right)
    {
        const run::RunDirectory run(m_project / "runs" / config::runId(spec));
        fs::create_directories(run.evalsFolder() / "needle-step-3");
        fs::create_directories(run.evalsFolder() / "perplexity-step-3");
        writeFileAtomic(run.runFile(), dumpPretty({{"format", 1}, {"run", run.id()}, {"spec", config::toJson(spec)}, {"steps", 3}}));
        writeFileAtomic(run.eventsFile(), "{\"format\":1,\"type\":\"start\",\"attempt\":1}\n"
                                          "{\"type\":\"step\",\"attempt\":1,\"step\":1,\"tokens\":10,\"t\":0.1,\"active\":0.1,\"loss\":5.5,\"grad_norm\":1.25,\"lr\":0.001,\"tok_s\":100}\n"
                                          "{\"type\":\"step\",\"attempt\":1,\"step\":2,\"tokens\":20,\"t\":0.2,\"active\":0.2,\"loss\":\"nan\",\"grad_norm\":\"inf\",\"lr\":0.001,\"tok_s\":100}\n"
                                          "{\"format\":1,\"type\":\"start\",\"attempt\":2}\n"
                                          "{\"type\":\"step\",\"attempt\":2,\"step\":2,\"tokens\":20,\"t\":0.3,\"active\":0.3,\"loss\":\"nan\",\"grad_norm\":\"inf\",\"lr\":0.001,\"tok_s\":100}\n"
                                          "{\"type\":\"step\",\"attempt\":2,\"step\":3,\"tokens\":30,\"t\":0.4,\"active\":0.4,\"loss\":4.75,\"grad_norm\":1.25,\"lr\":0.001,\"tok_s\":100}\n");
        run.writeExit({0, "done", "", 3, 30});
        Json cells = Json::array();
        for (const int length : {64, 128})
            for (const double depth : {0.0, 0.5})
                cells.push_back({{"length", length}, {"depth", depth}, {"depth_real", depth}, {"trials", 10}, {"exact", (depth == 0 ? right : 10) / 10.0}, {"nll", 0.25}, {"wilson", {0.1, 0.9}}, {"outside_training", false}});
        writeFileAtomic(run.evalsFolder() / "needle-step-3" / "summary.json",
                        dumpPretty({{"format", 1}, {"protocol", "needle"}, {"checkpoint", "checkpoints/step-3"}, {"scheme_trained", config::toJson(spec)["scheme"]}, {"scheme_run", config::toJson(spec)["scheme"]},
                                    {"chance", 0.03125}, {"cells", cells}, {"by_distance", Json::array()}, {"mean", (right + 10) / 20.0}}));
        writeFileAtomic(run.evalsFolder() / "perplexity-step-3" / "summary.json",
                        dumpPretty({{"format", 1}, {"protocol", "perplexity"}, {"checkpoint", "checkpoints/step-3"}, {"scheme_trained", config::toJson(spec)["scheme"]}, {"scheme_run", config::toJson(spec)["scheme"]},
                                    {"rows", {{{"length", 64}, {"tokens", 640}, {"nll", 3.0}, {"ppl", 20.085536923187668}}}}}));
    }

    QString project() const { return QString::fromStdString(m_project.string()); }

private Q_SLOTS:
    void initTestCase()
    {
        m_project = fs::path(m_folder.path().toStdString()) / "study";
        const Outcome made = engine({"new", project(), "--template", "tiny", "--param", "train.steps=3", "--param", "seeds=[1,2,3]", "--json"});
        QCOMPARE(made.code, 0);
        QCOMPARE(made.document()["arms"].size(), std::size_t(2));
        QCOMPARE(engine({"new", project()}).code, 2);
        int right = 1;
        for (const config::RunSpec& spec : config::expand(config::readProject(m_project)))
            if (spec.seed != 3 || spec.arm == "standard")
                writeRun(spec, right++);
    }

    void runsListsWhatIsThereAndWhatIsPlanned()
    {
        const Json doc = engine({"runs", project(), "--json"}).document();
        QCOMPARE(doc["runs"].size(), std::size_t(6));
        int waiting = 0;
        for (const Json& row : doc["runs"]) {
            if (row["state"] == "waiting") {
                ++waiting;
                QVERIFY(row["needle"].is_null());
            } else {
                QCOMPARE(row["state"].get<std::string>(), std::string("done"));
                QCOMPARE(row["loss"].get<double>(), 4.75);
                QCOMPARE(row["step"].get<int>(), 3);
            }
        }
        QCOMPARE(waiting, 1);
        QVERIFY(engine({"runs", project()}).out.contains("standard-s1-"));
        QVERIFY(!fs::exists(m_project / "index.sqlite"));
    }

    void showHoldsSpecAndResults()
    {
        const config::RunSpec spec = config::expand(config::readProject(m_project)).front();
        const QString folder = project() + "/runs/" + QString::fromStdString(config::runId(spec));
        const Json doc = engine({"show", folder, "--json"}).document();
        QCOMPARE(doc["state"].get<std::string>(), std::string("done"));
        QCOMPARE(dumpLine(doc["record"]["spec"]), dumpLine(config::toJson(spec)));
        QCOMPARE(doc["evals"].size(), std::size_t(2));
        QCOMPARE(doc["exit"]["code"].get<int>(), 0);
    }

    void showOfAProjectHoldsAGridAnArm()
    {
        const Json document = engine({"show", project(), "--json"}).document();
        QCOMPARE(document["runs"].size(), std::size_t(5));
        QCOMPARE(document["arms"].size(), std::size_t(2));
        QCOMPARE(document["arms"][0]["runs"].get<int>(), 3);
        QCOMPARE(document["arms"][0]["cells"].size(), std::size_t(4));
        const QString text = engine({"show", project()}).out;
        QVERIFY2(text.contains("100 % █"), qPrintable(text));
    }

    void statsComparesFinishedRuns()
    {
        const Json doc = engine({"stats", project(), "--json"}).document();
        QCOMPARE(doc["metric"].get<std::string>(), std::string("needle"));
        QCOMPARE(doc["groups"][0]["arm"].get<std::string>(), std::string("standard"));
        QCOMPARE(doc["groups"][0]["n"].get<int>(), 3);
        QVERIFY(std::abs(doc["groups"][0]["mean"].get<double>() - 0.6) < 1e-12);
        QCOMPARE(doc["groups"][1]["n"].get<int>(), 2);
        const Json one = engine({"stats", project(), "--length", "64", "--arms", "standard", "--json"}).document();
        QCOMPARE(one["groups"].size(), std::size_t(1));
        const Json worst = engine({"stats", project(), "--metric", "worst", "--json"}).document();
        QVERIFY(std::abs(worst["groups"][0]["min"].get<double>() - 0.1) < 1e-12);
        const Json perplexity = engine({"stats", project(), "--metric", "perplexity", "--length", "64", "--json"}).document();
        QVERIFY(std::abs(perplexity["groups"][0]["mean"].get<double>() - 20.0855) < 1e-3);
        QCOMPARE(engine({"stats", project(), "--metric", "needel"}).code, 2);
        QCOMPARE(engine({"stats", project(), "--length", "63"}).code, 2);
        QCOMPARE(engine({"stats", project(), "--arms", "standart"}).code, 2);
    }

    void statsOfValues()
    {
        const fs::path file = m_project.parent_path() / "values.json";
        writeFileAtomic(file, R"({"groups": {"a": [14,42,60,78,88,98], "b": [86,86,86,90,94,100]}})");
        const Json doc = engine({"stats", "--values", QString::fromStdString(file.string()), "--json"}).document();
        bool found = false;
        for (const Json& test : doc["tests"])
            if (test["name"].get<std::string>().find("Brown-Forsythe") != std::string::npos) {
                QVERIFY(std::abs(test["p"].get<double>() - .017907) < 1e-6);
                found = true;
            }
        QVERIFY(found);
        QVERIFY(engine({"stats", "--values", QString::fromStdString(file.string()), "--csv"}).out.startsWith("table"));
    }

    void exportsOneRowAStep()
    {
        const config::RunSpec spec = config::expand(config::readProject(m_project)).front();
        const std::string id = config::runId(spec);
        const QString out = m_folder.filePath("csv");
        const Json doc = engine({"export", project() + "/runs/" + QString::fromStdString(id), "--format", "csv", "--out", out, "--json"}).document();
        QCOMPARE(doc["files"].size(), std::size_t(4));
        const std::string steps = readFile(out.toStdString() + "/" + id + "-steps.csv");
        const auto lines = QString::fromStdString(steps).trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        QVERIFY(lines[0].startsWith("step,loss,"));
        QVERIFY(lines[2].startsWith("2,nan,inf,"));
        const auto grid = QString::fromStdString(readFile(out.toStdString() + "/" + id + "-needle-step-3-grid.csv")).trimmed().split('\n');
        QCOMPARE(grid[0], QString("depth,64,128"));
        QCOMPARE(grid[1], QString("0,0.1,0.1"));
        QCOMPARE(grid[2], QString("0.5,1,1"));
    }

    void exportsTensorBoardEvents()
    {
        const config::RunSpec spec = config::expand(config::readProject(m_project)).front();
        const std::string id = config::runId(spec);
        const QString out = m_folder.filePath("events");
        for (int repeat = 0; repeat < 2; ++repeat)
            QCOMPARE(engine({"export", project() + "/runs/" + QString::fromStdString(id), "--format", "tensorboard", "--out", out}).code, 0);
        const auto file = interop::readTensorBoardFolder(fs::path(out.toStdString()) / id);
        std::vector<double> losses;
        std::vector<std::string> tags;
        for (const auto& event : file.events)
            for (const auto& [tag, value] : event.scalars) {
                tags.push_back(tag);
                if (tag == "train/loss")
                    losses.push_back(value);
            }
        QCOMPARE(losses.size(), std::size_t(3));
        QCOMPARE(losses[0], 5.5);
        QVERIFY(std::isnan(losses[1]));
        QCOMPARE(losses[2], 4.75);
        QVERIFY(std::find(tags.begin(), tags.end(), "eval/needle") != tags.end());
        QVERIFY(std::find(tags.begin(), tags.end(), "eval/perplexity/64") != tags.end());
    }

    void theReportIsAFunctionOfTheFiles()
    {
        const QString a = m_folder.filePath("report-a"), b = m_folder.filePath("report-b");
        const Outcome first = engine({"report", project(), "--out", a, "--json"});
        QVERIFY2(first.code == 0, first.err.constData());
        QCOMPARE(engine({"report", project(), "--out", b}).code, 0);
        QStringList names;
        const Json document = first.document();
        for (const Json& file : document["files"]) {
            const QString name = QFileInfo(QString::fromStdString(file.get<std::string>())).fileName();
            names << name;
            const std::string bytes = readFile((a + '/' + name).toStdString());
            QCOMPARE(bytes, readFile((b + '/' + name).toStdString()));
            QVERIFY(bytes.find(m_folder.path().toStdString()) == std::string::npos);
        }
        for (const char* name : {"report.md", "report.html", "runs.csv", "statistics.csv", "heatmap-standard.svg", "heatmap-standard.png", "needle-standard.csv"})
            QVERIFY2(names.contains(name), name);
        QVERIFY(readFile((a + "/heatmap-standard.png").toStdString()).starts_with("\x89PNG"));
    }

    void theIndexCountsTheFiles()
    {
        const Json doc = engine({"index", project(), "--json"}).document();
        QCOMPARE(doc["runs"].get<int>(), 5);
        QCOMPARE(doc["steps"].get<int>(), 5 * 4);
        QVERIFY(fs::exists(m_project / "index.sqlite"));
        fs::remove(m_project / "index.sqlite");
    }

    void slurmScriptsAreValidShell()
    {
        const Json doc = engine({"slurm", project(), "--gpus-per-task", "1", "--parallel", "2", "--json"}).document();
        QCOMPARE(doc["runs"].get<int>(), 6);
        const std::string path = doc["path"];
        const std::string text = readFile(path);
        QVERIFY(text.find("#SBATCH --array=0-5%2\n") != std::string::npos);
        QVERIFY(text.find("#SBATCH --signal=B:USR1@120\n") != std::string::npos);
        QCOMPARE(QProcess::execute("bash", {"-n", QString::fromStdString(path)}), 0);
        QCOMPARE(engine({"slurm", project(), "--partition", "a\n#SBATCH --x"}).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestCliProject)
#include "tst_cli_project.moc"
