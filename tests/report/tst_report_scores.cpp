#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/report/project_scores.h"
#include "core/store/run_index.h"

using namespace holo;
namespace fs = std::filesystem;

namespace {

void makeRun(const fs::path& project, const std::string& arm, int seed)
{
    const fs::path folder = project / "runs" / (arm + "-s" + std::to_string(seed));
    fs::create_directories(folder);
    writeFileAtomic(folder / "run.json",
        dumpPretty({{"format", 1}, {"spec", {{"arm", arm}, {"seed", seed}, {"train", {{"steps", 50}, {"tokens", 0}}}, {"model", {{"context", 256}}}, {"scheme", "standard"}}}}));
    std::ofstream(folder / "events.jsonl") << dumpLine({{"format", 1}, {"type", "start"}, {"attempt", 1}}) << '\n';
    writeFileAtomic(folder / "exit.json", dumpPretty({{"format", 1}, {"code", 0}, {"state", "done"}, {"message", ""}, {"step", 50}, {"tokens", 5000}}));
}

void addNeedle(const fs::path& project, const std::string& run, const std::string& name, int step, double accuracy, const std::string& prompts, int trials = 10)
{
    const fs::path folder = project / "runs" / run / "evals" / name;
    fs::create_directories(folder);
    Json cells = Json::array();
    for (const double depth : {0.0, 0.5, 1.0})
        cells.push_back({{"length", 64}, {"depth", depth}, {"depth_real", depth}, {"trials", trials}, {"exact", accuracy}, {"nll", 1.0}, {"wilson", {0.1, 0.9}}, {"outside_training", false}});
    writeFileAtomic(folder / "summary.json", dumpPretty({{"format", 1}, {"protocol", "needle"}, {"checkpoint", "checkpoints/step-" + std::to_string(step)},
                                                 {"trials_file_hash", prompts}, {"cells", cells}, {"by_distance", Json::array()}, {"chance", 0.03}, {"mean", accuracy}}));
}

stats::StatisticsInput scores(const fs::path& project, const report::ScoreRequest& request = {})
{
    std::vector<std::string> notes;
    store::RunIndex index = store::RunIndex::openMemory(project);
    index.update();
    return report::projectScores(index.queries(), nullptr, request, notes);
}

}  // namespace

class ReportScores : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        for (const char* const arm : {"a", "b"})
            for (const int seed : {1, 2, 3}) {
                makeRun(project(), arm, seed);
                const std::string run = std::string(arm) + "-s" + std::to_string(seed);
                addNeedle(project(), run, "needle-step-25", 25, 0.1 * seed, "during");
                addNeedle(project(), run, "needle-step-50", 50, 0.25 * seed, "all");
            }
    }

    void lastStepCounts()
    {
        const stats::StatisticsInput input = scores(project());
        QCOMPARE(input.arms.size(), std::size_t(2));
        QCOMPARE(input.arms[0].values, (std::vector<double>{0.25, 0.5, 0.75}));
        QCOMPARE(input.arms[0].trials, (std::vector<double>{30, 30, 30}));
        QCOMPARE(input.arms[0].series[0].size(), std::size_t(2));
    }

    // Whoever looks closer at one run, before or after the others' name in the alphabet, does not change the comparison.
    void oneRunsOwnEvaluationChangesNothing()
    {
        const auto before = scores(project()).arms[1].values;
        addNeedle(project(), "b-s2", "aaa", 50, 0.9, "closer", 500);
        addNeedle(project(), "b-s2", "zzz", 50, 0.8, "closest", 1000);
        const stats::StatisticsInput after = scores(project());
        QCOMPARE(after.arms[1].values, before);
        QCOMPARE(after.arms[1].series[1].size(), std::size_t(2));
    }

    // Of two evaluations that all runs have, the one with more trials is used.
    void moreTrialsAreUsed()
    {
        for (const char* const run : {"a-s1", "a-s2", "a-s3", "b-s1", "b-s2", "b-s3"})
            addNeedle(project(), run, "aaa", 50, 0.75, "more", 100);
        QCOMPARE(scores(project()).arms[0].values, (std::vector<double>{0.75, 0.75, 0.75}));
    }

    void otherPromptsAreRefused()
    {
        addNeedle(project(), "b-s2", "needle-step-50", 50, 0.9, "others");
        try {
            scores(project());
            QFAIL("compared scores on different prompts");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Usage);
            const QString message = error.what();
            for (const char* const part : {"b-s2", "trials_file_hash", "others", "--arms"})
                QVERIFY2(message.contains(part), error.what());
        }
        report::ScoreRequest request;
        request.arms = {"a"};
        QCOMPARE(scores(project(), request).arms.size(), std::size_t(1));
    }

private:
    fs::path project() const { return m_dir->path().toStdString(); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(ReportScores)
#include "tst_report_scores.moc"
