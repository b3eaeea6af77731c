// Every template at every size: it resolves, reads back, and holds the arms, seeds and parameter counts of the papers.
#include <QtTest>

#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/config/origin.h"
#include "core/config/scheme_json.h"
#include "core/config/templates.h"

using namespace holo;
using namespace holo::config;

namespace {

std::map<std::string, int> runsByArm(const Project& project)
{
    std::map<std::string, int> runs;
    for (const RunSpec& spec : expand(project))
        ++runs[spec.arm];
    return runs;
}

const RunSpec& runOf(const std::vector<RunSpec>& runs, const std::string& arm)
{
    const auto it = std::find_if(runs.begin(), runs.end(), [&](const RunSpec& spec) { return spec.arm == arm; });
    if (it == runs.end())
        throw std::runtime_error("no arm " + arm);
    return *it;
}

std::int64_t parametersOf(const RunSpec& spec) { return parameterCount(resolved(spec.model, 178)); }

std::int64_t withoutInputEmbedding(const RunSpec& spec) { return parametersOf(spec) - std::int64_t(spec.model.vocab) * spec.model.hidden; }

}  // namespace

class TestConfigTemplates : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySizeResolves_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("size");
        for (const std::string& name : templateNames())
            for (const std::string& size : templateSizes(name))
                QTest::addRow("%s %s", name.c_str(), size.c_str()) << QString::fromStdString(name) << QString::fromStdString(size);
    }

    void everySizeResolves()
    {
        QFETCH(QString, name);
        QFETCH(QString, size);
        const Project project = projectTemplate(name.toStdString(), size.toStdString());
        const auto problems = validate(project);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().message.c_str());
        const Json json = toJson(project);
        QCOMPARE(dumpLine(toJson(projectFromJson(json, "project.json"))), dumpLine(json));
        std::set<std::string> ids;
        for (const auto& [spec, id, from] : plannedRuns(project)) {
            ladder::resolve(spec.scheme, modelShape(spec.model, spec.seed));
            QVERIFY(ids.insert(id).second);
            QCOMPARE(dumpLine(toJson(runSpecFromJson(toJson(spec), "run.json"))), dumpLine(toJson(spec)));
        }
        for (const PlannedRun& run : plannedRuns(project))
            QVERIFY(run.from.empty() || ids.contains(run.from));
        QVERIFY(!project.notes.empty());
    }

    void unknownSizesAreRefused()
    {
        for (const std::string& name : templateNames())
            try {
                projectTemplate(name, "huge");
                QFAIL("a size that is not there was accepted");
            } catch (const Error& e) {
                QCOMPARE(exitCode(e.kind()), 2);
                QVERIFY(std::string(e.what()).find(templateSizes(name).front()) != std::string::npos);
            }
        QVERIFY_EXCEPTION_THROWN(templateSizes("mobius-papr"), Error);
    }

    // arXiv 2607.21405: six arms at 160M and three at 410M, 48 models, a quarter of the heads in every hybrid.
    void theFortyEightModels()
    {
        const Project project = projectTemplate("mobius-paper");
        const auto runs = expand(project);
        QCOMPARE(runs.size(), std::size_t(48));
        int small = 0, large = 0;
        for (const auto& [arm, count] : runsByArm(project)) {
            const RunSpec& spec = runOf(runs, arm);
            const bool isLarge = arm.starts_with("410m-");
            QCOMPARE(count, isLarge ? 4 : 6);
            QCOMPARE(parametersOf(spec), isLarge ? std::int64_t(405'334'016) : std::int64_t(162'322'944));
            QCOMPARE(totalSteps(spec), std::int64_t(3815));
            const ladder::Plan plan = ladder::resolve(spec.scheme, modelShape(spec.model, 1));
            QCOMPARE(plan.shape.rotaryDim, 64);
            QCOMPARE(plan.shape.context, std::int64_t(2048));
            if (arm.ends_with("25")) {
                for (const auto& row : plan.heads)
                    QCOMPARE(int(std::count_if(row.begin(), row.end(), [&](const auto& head) { return plan.ladders[std::size_t(head.ladder)].kind != ladder::Kind::Standard; })), plan.shape.heads / 4);
            }
            ++(isLarge ? large : small);
        }
        QCOMPARE(small, 6);
        QCOMPARE(large, 3);
        QCOMPARE(expand(projectTemplate("mobius-paper", "tiny")).size(), std::size_t(48));
        QCOMPARE(expand(projectTemplate("mobius-paper", "160m")).size(), std::size_t(36));
        QCOMPARE(expand(projectTemplate("mobius-paper", "410m")).size(), std::size_t(12));
        // Replicas keep N/d.
        for (const RunSpec& spec : expand(projectTemplate("mobius-paper", "tiny")))
            QCOMPARE(spec.model.context / resolved(spec.model, 178).headDim, std::int64_t(32));
    }

    // arXiv 2412.17739, counted without the input embedding.
    void theArmsOfFourierPositionEmbedding()
    {
        const Project project = projectTemplate("fope-paper");
        const auto runs = expand(project);
        for (const auto& [prefix, millions, gain] : {std::tuple{"60m-", 59.3, .3}, {"180m-", 185.7, .4}, {"1200m-", 1177.0, .6}})
            for (const char* name : {"standard", "alibi", "fope"}) {
                const RunSpec& spec = runOf(runs, prefix + std::string(name));
                QVERIFY(std::abs(double(withoutInputEmbedding(spec)) / 1e6 - millions) < (millions > 1000 ? .5 : .05));
                QCOMPARE(spec.train.batch * spec.train.accumulate, 1024);
                if (std::string(name) == "fope")
                    QCOMPARE(std::get<double>(spec.scheme.parameters.at("gain")), gain);
            }
        for (const char* name : {"60m-fope-fs", "60m-fope-cf", "20m-standard", "20m-standard-qknorm", "20m-whole", "20m-whole-qknorm", "20m-nope", "20m-nope-qknorm"})
            QVERIFY(runsByArm(project).contains(name));
        QVERIFY(std::abs(double(withoutInputEmbedding(runOf(runs, "20m-nope"))) / 1e6 - 20) < 2);
        QCOMPARE(runOf(runs, "20m-nope-qknorm").model.qkNorm, std::string("layernorm"));
        for (const char* size : {"60m", "180m", "1200m", "tiny"})
            for (const char* name : {"standard", "alibi", "fope", "fope-fs", "fope-cf", "standard-yarn", "standard-fope", "fope-longer"})
                QVERIFY(runsByArm(projectTemplate("fope-paper", size)).contains(name));
    }

    // Fine-tuning goes on from the trained arm of the same seed, with what it leaves out taken from that training.
    void extensionsGoOnFromTheirArm()
    {
        const auto runs = expand(projectTemplate("fope-paper"));
        const RunSpec& yarn = runOf(runs, "60m-standard-yarn");
        for (const PlannedRun& run : plannedRuns(projectTemplate("fope-paper")))
            if (run.spec.arm == "60m-standard-yarn")
                QCOMPARE(run.from, runId(runOf(runs, "60m-standard")));
        QCOMPARE(std::get<double>(yarn.scheme.parameters.at("original")), 512.0);
        QCOMPARE(std::get<double>(yarn.scheme.parameters.at("factor")), 16.0);
        QCOMPARE(yarn.model.context, std::int64_t(1024));
        QCOMPARE(std::int64_t(yarn.train.batch) * yarn.train.accumulate * yarn.model.context, std::int64_t(524'288));
        QCOMPARE(totalSteps(yarn), std::int64_t(1908));
        const RunSpec& longer = runOf(runs, "60m-fope-longer");
        QCOMPARE(std::get<double>(longer.scheme.parameters.at("gain")), .3);
        QCOMPARE(std::get<std::vector<double>>(longer.scheme.parameters.at("original")), std::vector<double>{512});
    }

    void sweepsAndControls()
    {
        for (const char* size : {"tiny", "160m", "410m"}) {
            QCOMPARE(expand(projectTemplate("twisted-sweep", size)).size(), std::size_t(5 * 8));
            QCOMPARE(expand(projectTemplate("controls", size)).size(), std::size_t(9 * 4));
        }
        QCOMPARE(parametersOf(expand(projectTemplate("controls", "410m")).front()), std::int64_t(405'334'016));
        QCOMPARE(parametersOf(expand(projectTemplate("twisted-sweep", "160m")).front()), std::int64_t(162'322'944));
    }

    void armsOfOneProjectMayHaveOwnSeedsAndOrigins_data()
    {
        QTest::addColumn<QString>("arms");
        QTest::addColumn<QString>("field");
        const auto row = [](const char* arms, const char* field) { QTest::newRow(arms) << QString::fromUtf8(arms) << QString::fromUtf8(field); };
        row(R"([{"name":"a","scheme":"nope","seeds":[3]}])", "arms[0].seeds");
        row(R"([{"name":"a","scheme":"nope","seeds":[1,1]}])", "arms[0].seeds");
        row(R"([{"name":"a","scheme":"nope","seeds":[]}])", "arms[0].seeds");
        row(R"([{"name":"a","scheme":"nope","seeds":2}])", "arms[0].seeds");
        row(R"([{"name":"a","scheme":"nope","from":"b"}])", "arms[0].from");
        row(R"([{"name":"a","scheme":"nope","from":"a"}])", "arms[0].from");
        row(R"([{"name":"a","scheme":"nope","from":3}])", "arms[0].from");
        row(R"([{"name":"a","scheme":"nope","from":"b"},{"name":"b","scheme":"nope","from":"a"}])", "arms[0].from");
        row(R"([{"name":"a","scheme":"nope","seeds":[1]},{"name":"b","scheme":"nope","from":"a"}])", "arms[1].seeds");
        row(R"([{"name":"a","scheme":"nope"},{"name":"b","scheme":"nope","from":"a","model.layers":3}])", "arms[1].from");
        row(R"([{"name":"a","scheme":"nope"},{"name":"b","scheme":"yarn","from":"a"}])", "arms[1].scheme.yarn.factor");
    }

    void armsOfOneProjectMayHaveOwnSeedsAndOrigins()
    {
        QFETCH(QString, arms);
        QFETCH(QString, field);
        const Json json = {{"format", 1}, {"name", "p"}, {"seeds", {1, 2}}, {"arms", parseJson(arms.toStdString(), "arms")}};
        try {
            projectFromJson(json, "project.json");
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(exitCode(e.kind()), 2);
            QCOMPARE(QString::fromStdString(e.place().field), field);
        }
    }

    void seedsOfTheCommandLineHoldForAllArms()
    {
        const Json json = {{"format", 1}, {"name", "p"}, {"seeds", {1, 2}}, {"arms", {{{"name", "a"}, {"scheme", "nope"}, {"seeds", {1}}}, {{"name", "b"}, {"scheme", "alibi"}}}}};
        const Project project = projectFromJson(json, "project.json");
        QCOMPARE(expand(project).size(), std::size_t(3));
        QCOMPARE(expand(withParameters(project, {parseParameter("seeds=[5,6,7]")})).size(), std::size_t(6));
    }
};

QTEST_GUILESS_MAIN(TestConfigTemplates)
#include "tst_config_templates.moc"
