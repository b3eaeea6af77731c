#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cmath>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/run/run_directory.h"
#include "core/store/run_index.h"
#include "core/store/schema.h"

using namespace holo;
namespace fs = std::filesystem;

namespace {

void append(const fs::path& file, const std::string& text)
{
    std::ofstream(file, std::ios::app | std::ios::binary) << text;
}

std::string stepLine(int attempt, int step, const Json& loss)
{
    return dumpLine({{"type", "step"}, {"attempt", attempt}, {"step", step}, {"tokens", 100 * step}, {"t", 0.1 * step}, {"active", 0.1 * step}, {"loss", loss}, {"grad_norm", 1.0}, {"lr", 1e-3}, {"tok_s", 1000.0}}) + '\n';
}

fs::path makeRun(const fs::path& project, const std::string& id, const std::string& arm, int seed)
{
    const fs::path folder = project / "runs" / id;
    fs::create_directories(folder);
    writeFileAtomic(folder / "run.json", dumpPretty({{"format", 1}, {"spec", {{"arm", arm}, {"seed", seed}, {"train", {{"steps", 50}, {"tokens", 0}}}, {"model", {{"context", 256}}}, {"scheme", "standard"}}}}));
    append(folder / "events.jsonl", dumpLine({{"format", 1}, {"type", "start"}, {"attempt", 1}}) + '\n');
    return folder;
}

void addEval(const fs::path& run, int step, double accuracy)
{
    const fs::path folder = run / "evals" / ("step-" + std::to_string(step) + "-needle");
    fs::create_directories(folder);
    Json cells = Json::array();
    for (const int length : {64, 128})
        for (const double depth : {0.0, 0.5, 1.0})
            cells.push_back({{"length", length}, {"depth", depth}, {"depth_real", depth}, {"trials", 10}, {"exact", accuracy}, {"nll", "nan"}, {"wilson", {0.1, 0.9}}, {"outside_training", length > 100}});
    writeFileAtomic(folder / "summary.json", dumpPretty({{"format", 1}, {"protocol", "needle"}, {"checkpoint", "checkpoints/step-" + std::to_string(step)}, {"cells", cells}, {"by_distance", Json::array()}, {"chance", 0.03}, {"mean", accuracy}}));
}

std::string dumpOf(const fs::path& project) { return store::RunIndex::openFile(project).queries().dump(); }

}  // namespace

class StoreIndex : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }
    void incrementalEqualsRebuilt();
    void halfLinesWait();
    void nonFiniteValuesSurvive();
    void shorterFileStartsAnew();
    void badRunsBlockNothing();
    void damagedIndexIsBuiltAnew();
    void secondWriterIsRefused();
    void newerSchemaIsSetAside();
    void simultaneousStartsMakeOneSchema();
    void killedWriterLosesNothing();
    void folderIsWholeAfterClose();
    void removedRunsLeave();
    void endedRunsAreVisitedInTurns();

private:
    fs::path project() const { return m_dir->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_dir;
};

void StoreIndex::incrementalEqualsRebuilt()
{
    std::string incremental;
    {
        auto index = store::RunIndex::openFile(project());
        const auto a = makeRun(project(), "a-s1", "a", 1);
        index.update();
        for (int step = 1; step <= 30; ++step) {
            append(a / "events.jsonl", stepLine(1, step, 3.0 / step));
            if (step % 7 == 0)
                index.update();
        }
        const auto b = makeRun(project(), "b-s2", "b", 2);
        append(b / "events.jsonl", stepLine(1, 1, 2.5) + stepLine(1, 2, 2.4) + dumpLine({{"type", "start"}, {"attempt", 2}}) + '\n' + stepLine(2, 2, 2.3));
        addEval(a, 30, 0.5);
        index.update();
        addEval(a, 40, 0.75);
        append(a / "events.jsonl", dumpLine({{"type", "eval"}, {"attempt", 1}, {"step", 40}, {"val_loss", 1.25}}) + '\n');
        run::RunDirectory(a).writeExit({0, "done", "", 30, 3000});
        index.update();
        incremental = index.queries().dump();
        const auto row = index.queries().row("a-s1");
        QVERIFY(row.has_value());
        QCOMPARE(row->state, std::string("done"));
        QCOMPARE(row->step, std::int64_t(30));
        QCOMPARE(row->totalSteps, std::int64_t(50));
        QCOMPARE(row->needle, 0.75);
        QCOMPARE(row->valLoss, 1.25);
        QCOMPARE(row->evals, 2);
        QCOMPARE(index.queries().row("b-s2")->attempts, 2);
        QCOMPARE(index.queries().steps("b-s2").size(), std::size_t(3));
    }
    const auto counts = store::rebuildIndex(project());
    QCOMPARE(counts.runs, std::int64_t(2));
    QCOMPARE(counts.steps, std::int64_t(33));
    QCOMPARE(counts.evals, std::int64_t(2));
    QCOMPARE(counts.cells, std::int64_t(12));
    QCOMPARE(dumpOf(project()), incremental);
}

void StoreIndex::halfLinesWait()
{
    auto index = store::RunIndex::openFile(project());
    const auto run = makeRun(project(), "r", "a", 1);
    const std::string line = stepLine(1, 1, 2.0);
    append(run / "events.jsonl", line.substr(0, 20));
    index.update();
    QCOMPARE(index.queries().steps("r").size(), std::size_t(0));
    append(run / "events.jsonl", line.substr(20));
    const auto changes = index.update();
    QCOMPARE(changes.steps.size(), std::size_t(1));
    QCOMPARE(index.queries().steps("r").size(), std::size_t(1));
    QVERIFY(index.update().isEmpty());
}

void StoreIndex::nonFiniteValuesSurvive()
{
    auto index = store::RunIndex::openFile(project());
    const auto run = makeRun(project(), "r", "a", 1);
    append(run / "events.jsonl", stepLine(1, 1, "nan") + stepLine(1, 2, "inf") + stepLine(1, 3, "-inf") + stepLine(1, 4, 1.5));
    index.update();
    const auto steps = index.queries().steps("r");
    QCOMPARE(steps.size(), std::size_t(4));
    QVERIFY(std::isnan(steps[0].loss));
    QCOMPARE(steps[1].loss, double(INFINITY));
    QCOMPARE(steps[2].loss, -double(INFINITY));
    QCOMPARE(steps[3].loss, 1.5);
    QVERIFY(index.queries().dump().find("\tnan\t") != std::string::npos);
}

void StoreIndex::shorterFileStartsAnew()
{
    auto index = store::RunIndex::openFile(project());
    const auto run = makeRun(project(), "r", "a", 1);
    for (int step = 1; step <= 20; ++step)
        append(run / "events.jsonl", stepLine(1, step, 2.0));
    index.update();
    fs::remove(run / "events.jsonl");
    append(run / "events.jsonl", stepLine(1, 1, 9.0));
    const auto changes = index.update();
    QVERIFY(changes.steps.at(0).restarted);
    const auto steps = index.queries().steps("r");
    QCOMPARE(steps.size(), std::size_t(1));
    QCOMPARE(steps[0].loss, 9.0);
}

void StoreIndex::badRunsBlockNothing()
{
    auto index = store::RunIndex::openFile(project());
    makeRun(project(), "good", "a", 1);
    const std::vector<std::pair<std::string, std::string>> broken = {
        {"empty", ""}, {"cut", "{\"format\": 1, \"spec\": {\"arm\""}, {"noise", std::string("\x00\xff\xfe junk", 8)}, {"list", "[1, 2]"}, {"types", "{\"spec\": {\"arm\": 3, \"seed\": \"x\", \"train\": []}}"},
    };
    for (const auto& [id, text] : broken) {
        fs::create_directories(project() / "runs" / id / "evals" / "e");
        append(project() / "runs" / id / "run.json", text);
        append(project() / "runs" / id / "events.jsonl", text + "\n{}\n[]\nnull\n{\"type\":5}\n" + stepLine(1, 1, 2.0));
        append(project() / "runs" / id / "evals" / "e" / "summary.json", text);
    }
    index.update();
    QCOMPARE(index.queries().rows().size(), broken.size() + 1);
    for (const auto& [id, text] : broken)
        QCOMPARE(index.queries().steps(id).size(), std::size_t(1));
    QVERIFY(!index.queries().row("cut")->message.empty());
}

void StoreIndex::damagedIndexIsBuiltAnew()
{
    const auto run = makeRun(project(), "r", "a", 1);
    for (int step = 1; step <= 500; ++step)
        append(run / "events.jsonl", stepLine(1, step, 2.0));
    store::rebuildIndex(project());
    const std::string whole = readFile(project() / "index.sqlite");
    const std::string expected = dumpOf(project());
    const std::vector<std::string> damaged = {"", "not a database at all, but long enough to be read as one header of it", whole.substr(0, whole.size() / 2), [&] {
                                                  std::string flipped = whole;
                                                  for (std::size_t i = 5000; i < 9000 && i < flipped.size(); ++i)
                                                      flipped[i] = static_cast<char>(~flipped[i]);
                                                  return flipped;
                                              }()};
    for (const auto& bytes : damaged) {
        fs::remove(project() / "index.sqlite-wal");
        writeFileAtomic(project() / "index.sqlite", bytes);
        auto index = store::RunIndex::openFile(project());
        index.update();
        QCOMPARE(index.queries().dump(), expected);
    }
    QVERIFY(fs::exists(project() / "index.sqlite.old-1"));
}

void StoreIndex::secondWriterIsRefused()
{
    makeRun(project(), "r", "a", 1);
    auto first = store::RunIndex::openFile(project());
    try {
        store::RunIndex::openFile(project());
        QFAIL("a second writer got the lock");
    } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::Busy);
    }
    std::string note;
    auto second = store::RunIndex::openBest(project(), note);
    QVERIFY(!note.empty());
    second.update();
    QCOMPARE(second.queries().rows().size(), std::size_t(1));
    QVERIFY(!second.isOnDisk());
}

void StoreIndex::newerSchemaIsSetAside()
{
    makeRun(project(), "r", "a", 1);
    {
        auto database = store::Database::open(project() / "index.sqlite");
        database.execute("PRAGMA user_version = 999");
    }
    auto index = store::RunIndex::openFile(project());
    index.update();
    QCOMPARE(index.queries().rows().size(), std::size_t(1));
    QVERIFY(fs::exists(project() / "index.sqlite.old-1"));
}

void StoreIndex::simultaneousStartsMakeOneSchema()
{
    const fs::path file = project() / "index.sqlite";
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            try {
                auto database = store::Database::open(file);
                store::upgradeSchema(database);
            } catch (const Error&) {
                ++failures;
            }
        });
    for (auto& thread : threads)
        thread.join();
    QCOMPARE(failures.load(), 0);
    auto database = store::Database::open(file);
    store::Statement version(database, "PRAGMA user_version");
    version.step();
    QCOMPARE(std::size_t(version.integer(0)), store::schemaRevisions().size());
}

void StoreIndex::killedWriterLosesNothing()
{
    const auto run = makeRun(project(), "r", "a", 1);
    for (int step = 1; step <= 200; ++step)
        append(run / "events.jsonl", stepLine(1, step, 2.0));
    const pid_t child = ::fork();
    if (child == 0) {
        auto index = store::RunIndex::openFile(project());
        index.update();
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status));
    auto index = store::RunIndex::openFile(project());  // the dead writer's lock is gone
    QCOMPARE(index.queries().steps("r").size(), std::size_t(200));
    QVERIFY(index.update().isEmpty());
}

void StoreIndex::folderIsWholeAfterClose()
{
    makeRun(project(), "r", "a", 1);
    store::rebuildIndex(project());
    QVERIFY(!fs::exists(project() / "index.sqlite-wal"));
    QTemporaryDir copy;
    fs::copy_file(project() / "index.sqlite", copy.path().toStdString() + "/index.sqlite");
    auto database = store::Database::open(copy.path().toStdString() + "/index.sqlite", store::Database::Mode::ReadOnly);
    store::Queries queries(database);
    QCOMPARE(queries.rows().size(), std::size_t(1));
}

void StoreIndex::removedRunsLeave()
{
    auto index = store::RunIndex::openFile(project());
    const auto run = makeRun(project(), "r", "a", 1);
    append(run / "events.jsonl", stepLine(1, 1, 2.0));
    addEval(run, 1, 0.5);
    index.update();
    fs::remove_all(run);
    const auto changes = index.update();
    QCOMPARE(changes.removed.size(), std::size_t(1));
    const auto counts = index.queries().counts();
    QCOMPARE(counts.runs + counts.steps + counts.evals + counts.cells, std::int64_t(0));
}

void StoreIndex::endedRunsAreVisitedInTurns()
{
    std::vector<fs::path> ended;
    for (int i = 0; i < 450; ++i) {
        ended.push_back(makeRun(project(), "done-s" + std::to_string(i), "done", i));
        run::RunDirectory(ended.back()).writeExit({0, "done", "", 1, 100});
    }
    const auto live = makeRun(project(), "live-s1", "live", 1);
    auto index = store::RunIndex::openFile(project());
    QCOMPARE(index.update().runs.size(), std::size_t(451));
    QVERIFY(index.update().isEmpty());
    // What is under way is seen at once, whoever's turn it is.
    for (int step = 1; step <= 5; ++step) {
        append(live / "events.jsonl", stepLine(1, step, 2.0));
        QCOMPARE(index.update().runs, std::vector<std::string>{"live-s1"});
    }
    // What has ended is seen within a round, also when it starts again.
    for (const std::size_t at : {0, 199, 200, 449}) {
        addEval(ended[at], 1, 0.5);
        std::size_t seen = 0;
        for (int i = 0; i < 3; ++i)
            seen += index.update().evals.size();
        QCOMPARE(seen, std::size_t(1));
    }
    fs::remove_all(ended[300]);
    QCOMPARE(index.update().removed, std::vector<std::string>{"done-s300"});
}

QTEST_GUILESS_MAIN(StoreIndex)
#include "tst_store_index.moc"
