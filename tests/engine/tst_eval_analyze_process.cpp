// `analyze` and `search` as scripts see them, on a small run that was trained for a few steps.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "tests/cli/engine_process.h"

using namespace holo;
using namespace holo::test;

namespace {

const char* const kProject = R"({"format": 1, "name": "small",
  "model": {"layers": 2, "hidden": 32, "heads": 4, "context": 64},
  "data": {"synthetic": {"documents": 200, "val_documents": 8}},
  "train": {"steps": 10, "batch": 2, "warmup": 5, "checkpoint_every": 5, "precision": "fp32"},
  "eval": {"protocols": [], "lengths": [32, 64], "trials": 4, "perplexity_tokens": 512},
  "arms": [{"name": "hybrid", "scheme": "hybrid:share=0.25,special=mobius"}, {"name": "standard", "scheme": "standard"}],
  "seeds": [1]})";

QByteArray readAll(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

}  // namespace

class TestAnalyzeProcess : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_hybrid;
    QString m_standard;

    QStringList search(const QString& out, const char* generations = "2", const char* seed = "3", const QStringList& more = {}) const
    {
        return QStringList{"search", "longrope", m_standard, "--generations", generations, "--population", "6", "--mutations", "3", "--crossovers", "2", "--tokens", "512", "--seed", seed, "--quiet", "--json", "--out",
                           m_folder.filePath(out)} + more;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Outcome trained = trainProject(m_folder.filePath("p"), kProject);
        QVERIFY2(trained.code == 0, trained.err + trained.out);
        const Json results = trained.document()["results"];
        for (const Json& row : results)
            (row["arm"] == "hybrid" ? m_hybrid : m_standard) = m_folder.filePath("p/runs/") + QString::fromStdString(row["run"].get<std::string>());
    }

    void planAnalyses()
    {
        const Json turns = engine({"analyze", "turns", "standard", "--head-dim", "128", "--context", "4096", "--json"}).document();
        QCOMPARE(turns["ladders"][0]["undertrained"].size(), std::size_t(18));
        QCOMPARE(turns["ladders"][0]["undertrained"][0].get<int>(), 46);
        int planes = turns["ladders"][0]["still"].get<int>();
        for (const Json& bin : turns["ladders"][0]["histogram"])
            planes += bin["planes"].get<int>();
        QCOMPARE(planes, 64);

        const Json scores = engine({"analyze", "scores", "mobius", "--context", "2048", "--mu", "0,1", "--delta", "0,16,2048", "--json"}).document();
        QCOMPARE(scores["means"][0]["expected"][0].get<double>(), 0.0);
        QVERIFY(std::abs(scores["means"][1]["expected"][1].get<double>() - 40.747776) < 5e-5);
        QVERIFY(std::abs(scores["means"][1]["sampled"][0].get<double>() - 64) < 2.5);
        QVERIFY(engine({"analyze", "scores", "fope", "--samples", "10", "--json"}).document()["means"][0]["ladders"][0]["sampled"].is_null());

        const Json kernel = engine({"analyze", "kernel", "hybrid:share=0.25,special=mobius", "--heads", "4", "--layers", "2", "--head-dim", "8", "--context", "64", "--delta", "0,64", "--json"}).document();
        QCOMPARE(kernel["ladders"].size(), std::size_t(2));
        QCOMPARE(kernel["layers"].size(), std::size_t(2));
        QCOMPARE(kernel["heads"].size(), std::size_t(2));
        // A checkpoint stands for its scheme and shape.
        QCOMPARE(engine({"analyze", "kernel", m_hybrid, "--delta", "0,64", "--json"}).document()["mean"], kernel["mean"]);

        const Json toy = engine({"analyze", "toy", "--activation", "none", "--mix", "0", "--json"}).document();
        QVERIFY(toy["curves"][0]["error"].get<double>() < 1e-9);
    }

    void headAnalyses()
    {
        const Json holonomy = engine({"analyze", "holonomy", m_hybrid, "--windows", "2", "--quiet", "--json"}).document();
        QCOMPARE(holonomy["heads"].size(), std::size_t(8));
        QVERIFY(holonomy["heads"][0]["anti_periodic"].get<double>() < 1e-4);
        QVERIFY(holonomy["heads"][1]["anti_periodic"].get<double>() > .1);
        const Json spectrum = engine({"analyze", "spectrum", m_hybrid, "--windows", "2", "--quiet", "--json"}).document();
        QCOMPARE(spectrum["heads"].size(), std::size_t(8));
        QCOMPARE(spectrum["heads"][0]["score"].size(), std::size_t(33));
        QCOMPARE(spectrum["heads"][0]["planes"].size(), std::size_t(4));
        const Json means = engine({"analyze", "means", m_hybrid, "--tokens", "100", "--quiet", "--json"}).document();
        QCOMPARE(means["layers"].size(), std::size_t(2));
        QCOMPARE(means["heads"][7]["query"].size(), std::size_t(8));
    }

    void theBestSchemeIsNoWorseThanTheStartsAndEvaluatesAsSaid()
    {
        const Outcome outcome = engine(search("a.json"));
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        const Json first = outcome.document();
        QCOMPARE(first["generations"].size(), std::size_t(3));
        const double best = first["best"]["ppl"].get<double>();
        for (const Json& start : first["starts"])
            QVERIFY(best <= start["ppl"].get<double>());
        const Json eval = engine({"eval", m_standard, "--protocol", "perplexity", "--scheme", m_folder.filePath("a.json"), "--lengths", "256", "--no-write", "--quiet", "--json"}).document();
        QVERIFY(std::abs(eval["rows"][0]["ppl"].get<double>() - best) < 1e-9 * best);

        // The same seed says the same; a finished search that is asked again says it without another candidate, and goes on for more generations.
        const QByteArray state = readAll(m_folder.filePath("a.json.state"));
        QVERIFY(!state.isEmpty());
        QCOMPARE(engine(search("b.json")).code, 0);
        QCOMPARE(readAll(m_folder.filePath("b.json")), readAll(m_folder.filePath("a.json")));
        QCOMPARE(readAll(m_folder.filePath("b.json.state")), state);
        QCOMPARE(engine(search("a.json")).document(), first);
        const Json more = engine(search("a.json", "3")).document();
        QCOMPARE(more["generations"].size(), std::size_t(4));
        QVERIFY(more["best"]["ppl"].get<double>() <= best);
        QCOMPARE(engine(search("a.json", "3", "4")).code, 2);
        QCOMPARE(engine(search("a.json", "3", "4", {"--restart"})).code, 0);
    }

    void refusals_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("factor") << QStringList{"search", "longrope", "STANDARD", "--factor", "1"} << 2;
        QTest::newRow("factor nan") << QStringList{"search", "longrope", "STANDARD", "--factor", "nan"} << 2;
        QTest::newRow("population") << QStringList{"search", "longrope", "STANDARD", "--population", "2"} << 2;
        QTest::newRow("length") << QStringList{"search", "longrope", "STANDARD", "--length", "64"} << 2;
        QTest::newRow("other ladder") << QStringList{"search", "longrope", "HYBRID"} << 2;
        QTest::newRow("nothing there") << QStringList{"search", "longrope", "/nonexistent"} << 3;
        QTest::newRow("no subcommand") << QStringList{"search"} << 2;
        QTest::newRow("unknown analysis") << QStringList{"analyze", "colour"} << 2;
        QTest::newRow("scheme") << QStringList{"analyze", "kernel", "mobiuss"} << 2;
        QTest::newRow("samples") << QStringList{"analyze", "scores", "standard", "--samples", "0"} << 2;
        QTest::newRow("frequencies") << QStringList{"analyze", "toy", "--frequencies", "1"} << 2;
        QTest::newRow("too long for memory") << QStringList{"analyze", "spectrum", "HYBRID", "--length", "10000000"} << 5;
        QTest::newRow("long window") << QStringList{"analyze", "holonomy", "HYBRID", "--length", "65"} << 2;
        QTest::newRow("heads of nothing") << QStringList{"analyze", "means", "/nonexistent"} << 3;
    }

    void refusals()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        arguments.replaceInStrings("STANDARD", m_standard).replaceInStrings("HYBRID", m_hybrid);
        const Outcome outcome = engine(arguments + QStringList{"--quiet"});
        QVERIFY2(outcome.code == code, outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
        QCOMPARE(outcome.err.trimmed().count('\n'), 0);
    }

    void aFileThatNoSearchWroteIsNotReplaced()
    {
        QFile file(m_folder.filePath("mine.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{}");
        file.close();
        QCOMPARE(engine(search("mine.json")).code, 2);
        QCOMPARE(readAll(m_folder.filePath("mine.json")), QByteArray("{}"));
    }
};

QTEST_GUILESS_MAIN(TestAnalyzeProcess)
#include "tst_eval_analyze_process.moc"
