#include <QtTest>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/stats/multiple.h"
#include "core/stats/statistics_table.h"
#include "core/stats/statistics_text.h"

using namespace holo;
using namespace holo::stats;

namespace {

const char* const kTwoArms = R"({"groups": {"a": [0.86, 0.91, 0.95, 0.88, 0.93, 0.89], "b": [0.14, 0.98, 0.35, 0.92, 0.61, 0.80]}})";

// Needle scores of 14 seeds of a small model in two arms.
StatisticsInput seedLottery()
{
    StatisticsInput input;
    for (const auto& [name, values] :
         {std::pair("standard", std::vector<double>{.972, .235, .959, .986, .951, .972, .975, .981, .220, .982, .221, .228, .221, .981}),
          std::pair("mobius", std::vector<double>{.893, .985, .981, .983, .950, .805, .953, .978, .233, .980, .217, .476, .222, .966})}) {
        ArmScores arm;
        arm.arm = name;
        arm.values = values;
        for (std::size_t i = 0; i < values.size(); ++i)
            arm.seeds.push_back(std::int64_t(i) + 100);
        input.arms.push_back(arm);
    }
    return input;
}

const Json& find(const Json& tests, const std::string& part, std::size_t groups = 0)
{
    for (const Json& test : tests)
        if (test["name"].get<std::string>().find(part) != std::string::npos && (groups == 0 || test["groups"].size() == groups))
            return test;
    throw std::runtime_error("no test " + part);
}

Json documentOf(const std::string& text)
{
    return parseJson(dumpLine(toJson(statisticsFromValuesJson(text, "values.json"))), "document");
}

bool near(const Json& value, double expected, double tolerance)
{
    return value.is_number() && std::abs(value.get<double>() - expected) <= tolerance;
}

}  // namespace

class TstStatsTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoArmsFromFile();
    void holmOverTheList();
    void seedLotteryReadsAsShares();
    void oneHumpReadsAsSpread();
    void pairsNeedSeeds();
    void fewSeeds_data();
    void fewSeeds();
    void nonFiniteValues();
    void percentScores();
    void lowerIsBetter();
    void orderOfArms();
    void emergenceOfRuns();
    void noiseWithTrials();
    void brokenFiles_data();
    void brokenFiles();
    void brokenInput();
    void csvHasOneWidth();
    void latexEscapes();
    void manyArms();
    void manyValues();
};

void TstStatsTable::twoArmsFromFile()
{
    const Json document = documentOf(kTwoArms);
    QCOMPARE(document["groups"].size(), std::size_t(2));
    const Json& b = document["groups"][1];
    QCOMPARE(b["arm"].get<std::string>(), std::string("b"));
    QCOMPARE(b["n"].get<int>(), 6);
    QVERIFY(near(b["sd"], .3329664648, 1e-10));
    QVERIFY(near(b["mean"], 3.8 / 6, 1e-12));
    QCOMPARE(b["min"].get<double>(), .14);
    QCOMPARE(b["max"].get<double>(), .98);
    QCOMPARE(b["worst_seed"].get<int>(), 0);
    QCOMPARE(b["values"].size(), std::size_t(6));
    QCOMPARE(b["learned"]["k"].get<int>(), 4);
    QCOMPARE(b["learned"]["floor"].get<double>(), .5);
    QCOMPARE(b["learned"]["wilson"].size(), std::size_t(2));
    const Json& tests = document["tests"];
    QVERIFY(near(find(tests, "Brown-Forsythe")["p"], .0081745798, 1e-10));
    QVERIFY(near(find(tests, "Brown-Forsythe")["statistic"], 10.8123891960, 1e-10));
    QVERIFY(find(tests, "Brown-Forsythe")["df"] == Json::array({1.0, 10.0}));
    QVERIFY(near(find(tests, "Levene")["p"], .0043824716, 1e-10));
    QVERIFY(near(find(tests, "Fligner-Killeen")["p"], .0058824606, 1e-10));
    QVERIFY(find(tests, "Fligner-Killeen")["df"] == 1.0);
    QVERIFY(find(tests, "Bartlett")["p"].is_number());
    QVERIFY(find(tests, "Welch")["df"].is_number());
    QVERIFY(document["emergence"].is_array());
    QVERIFY(document["noise"].is_object());
}

void TstStatsTable::holmOverTheList()
{
    const StatisticsTable table = statisticsFromValuesJson(kTwoArms, "values.json");
    std::vector<std::optional<double>> p;
    for (const TestResult& test : table.tests)
        p.push_back(test.p);
    const auto adjusted = holm(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        QCOMPARE(table.tests[i].pHolm, adjusted[i]);
        QVERIFY(!p[i] || (*adjusted[i] >= *p[i] && *adjusted[i] <= 1));
        QCOMPARE(table.tests[i].pHolmName, p[i]);  // one pair: one test of each name
    }
}

void TstStatsTable::seedLotteryReadsAsShares()
{
    const StatisticsTable table = statisticsTable(seedLottery());
    QVERIFY(std::abs(*table.tests[0].p - .66) < .005);
    QVERIFY(std::abs(*table.tests[1].p - .15) < .005);
    const Json document = toJson(table);
    QVERIFY(near(find(document["tests"], "Fisher")["p"], 1, 1e-12));
    QCOMPARE(document["groups"][0]["worst_seed"].get<int>(), 108);
    QCOMPARE(document["groups"][0]["learned"]["k"].get<int>(), 9);
    QCOMPARE(document["groups"][1]["learned"]["k"].get<int>(), 10);
    QCOMPARE(document["reading_kind"].get<std::string>(), std::string("share-learned"));
    for (const char* part : {"standard 9/14", "mobius 10/14", "Fisher", "McNemar"})
        QVERIFY2(table.reading.find(part) != std::string::npos, table.reading.c_str());
    const Json& mcnemar = find(document["paired"], "McNemar");
    QVERIFY(mcnemar["note"].get<std::string>().find("only second 1") != std::string::npos);
    QVERIFY(near(mcnemar["p"], 1, 1e-12));
}

void TstStatsTable::oneHumpReadsAsSpread()
{
    const StatisticsTable table =
        statisticsFromValuesJson(R"({"groups": {"a": [0.61, 0.66, 0.7, 0.74, 0.77, 0.8], "b": [0.52, 0.63, 0.72, 0.79, 0.85, 0.93]}})", "values.json");
    QVERIFY(table.readingKind == ReadingKind::SpreadTest);
    QVERIFY2(table.reading.find("Brown-Forsythe p") != std::string::npos, table.reading.c_str());
    QVERIFY(table.reading.find("after Holm") != std::string::npos);
}

void TstStatsTable::pairsNeedSeeds()
{
    QVERIFY(statisticsFromValuesJson(kTwoArms, "values.json").paired.empty());
    StatisticsInput input = seedLottery();
    input.arms[1].seeds[0] = 999;  // one seed is not shared
    const StatisticsTable table = statisticsTable(input);
    QVERIFY(!table.paired.empty());
    QVERIFY(table.paired[0].note.find("13 common seeds") != std::string::npos);
    for (std::int64_t& seed : input.arms[1].seeds)
        seed += 5000;
    QVERIFY(statisticsTable(input).paired.empty());

    input = seedLottery();
    input.arms.push_back(input.arms[0]);
    input.arms[2].arm = "again";
    const Json paired = toJson(statisticsTable(input))["paired"];
    QCOMPARE(find(paired, "Cochran")["groups"].size(), std::size_t(3));
}

void TstStatsTable::fewSeeds_data()
{
    QTest::addColumn<int>("n");
    for (int n = 0; n < 3; ++n)
        QTest::addRow("%d", n) << n;
}

void TstStatsTable::fewSeeds()
{
    QFETCH(int, n);
    Json file;
    file["groups"] = {{"many", {.1, .5, .9, .7}}, {"few", Json::array()}};
    for (int i = 0; i < n; ++i)
        file["groups"]["few"].push_back(.25 * (i + 1));
    const Json document = documentOf(dumpLine(file));
    for (const Json& test : document["tests"]) {
        QVERIFY2(test["p"].is_null() && test["p_holm"].is_null(), dumpLine(test).c_str());
        QVERIFY(!test["note"].get<std::string>().empty());
    }
    const Json& few = document["groups"][1];
    QCOMPARE(few["sd"].is_null(), n < 2);
    QCOMPARE(few["mean"].is_null(), n < 1);
    QCOMPARE(few["note"].get<std::string>().empty(), n == 2);
    QCOMPARE(document["reading_kind"].get<std::string>(), std::string("too-few"));
    QVERIFY(document["reading"].get<std::string>().find("few has " + std::to_string(n)) != std::string::npos);
    QVERIFY(toText(statisticsFromValuesJson(dumpLine(file), "f")).find("nan") == std::string::npos);
}

void TstStatsTable::nonFiniteValues()
{
    const Json clean = documentOf(kTwoArms);
    const Json dirty = documentOf(R"({"groups": {"a": [0.86, 0.91, "nan", 0.95, 0.88, 0.93, 0.89], "b": ["inf", 0.14, 0.98, null, 0.35, 0.92, 0.61, "-inf", 0.80]}})");
    QCOMPARE(dirty["groups"][1]["n"].get<int>(), 6);
    QCOMPARE(dirty["groups"][1]["left_out"].size(), std::size_t(3));
    QVERIFY(dirty["groups"][1]["values"][0] == "inf");
    QVERIFY(dirty["groups"][1]["sd"] == clean["groups"][1]["sd"]);
    QCOMPARE(dirty["groups"][1]["worst_seed"].get<int>(), 1);
    for (std::size_t i = 0; i < clean["tests"].size(); ++i)
        QVERIFY(dirty["tests"][i]["p"] == clean["tests"][i]["p"]);
    QVERIFY(find(dirty["tests"], "Levene")["note"].get<std::string>().find("3 non-finite values of b left out") != std::string::npos);
}

void TstStatsTable::percentScores()
{
    const char* percent = R"({"groups": {"a": [14, 42, 60, 78, 88, 98], "b": [86, 86, 86, 90, 94, 100]})";
    const Json document = documentOf(std::string(percent) + "}");
    QVERIFY(document["groups"][0]["learned"]["k"].is_null());
    QCOMPARE(document["groups"][0]["learned"]["n"].get<int>(), 6);
    QVERIFY(near(find(document["tests"], "Welch")["p"], .089388, 1e-6));
    const Json floor = documentOf(std::string(percent) + R"(, "floor": 50, "metric": "accuracy in percent"})");
    QCOMPARE(floor["groups"][0]["learned"]["k"].get<int>(), 4);
    QCOMPARE(floor["metric"].get<std::string>(), std::string("accuracy in percent"));
}

void TstStatsTable::lowerIsBetter()
{
    const Json document = documentOf(R"({"groups": {"a": [24, 23, 30], "b": [25, 22, 26]}, "lower_is_better": true, "floor": 25})");
    QCOMPARE(document["groups"][0]["worst_seed"].get<int>(), 2);
    QCOMPARE(document["groups"][0]["learned"]["k"].get<int>(), 2);
    QVERIFY(near(document["groups"][0]["best_of"][2], 23, 1e-12));
}

void TstStatsTable::orderOfArms()
{
    StatisticsInput input = seedLottery();
    const StatisticsTable there = statisticsTable(input);
    std::reverse(input.arms.begin(), input.arms.end());
    for (ArmScores& arm : input.arms) {
        std::reverse(arm.values.begin(), arm.values.end());
        std::reverse(arm.seeds.begin(), arm.seeds.end());
    }
    const StatisticsTable back = statisticsTable(input);
    QCOMPARE(there.tests.size(), back.tests.size());
    for (std::size_t i = 0; i < there.tests.size(); ++i)
        QVERIFY2(there.tests[i].p == back.tests[i].p, there.tests[i].name.c_str());
    for (std::size_t i = 0; i < there.paired.size(); ++i)
        QVERIFY2(there.paired[i].p == back.paired[i].p, there.paired[i].name.c_str());
    QCOMPARE(there.groups[0].worstSeed, back.groups[1].worstSeed);
    QCOMPARE(there.groups[0].meanInterval->lo, back.groups[1].meanInterval->lo);
}

void TstStatsTable::emergenceOfRuns()
{
    StatisticsInput input;
    input.plateau = Plateau{.2, .05, 2};
    for (const auto& [name, crossings] : {std::pair("early", std::vector<double>{500, 400, 700, 0}), std::pair("late", std::vector<double>{900, 0, 1100, 1300})}) {
        ArmScores arm;
        arm.arm = name;
        for (const double crossing : crossings) {
            std::vector<SeriesPoint> series;
            for (double step = 0; step <= 1600; step += 100)
                series.push_back({step, crossing > 0 && step >= crossing ? .8 : crossing > 0 && step > crossing - 101 ? .2 : .22});
            arm.series.push_back(series);
            arm.values.push_back(series.back().score);
            arm.seeds.push_back(std::int64_t(arm.seeds.size()));
            arm.budgets.push_back(1600);
        }
        input.arms.push_back(arm);
    }
    const Json document = toJson(statisticsTable(input));
    const Json& early = document["emergence"][0];
    QCOMPARE(early["n"].get<int>(), 4);
    QCOMPARE(early["emerged"].get<int>(), 3);
    QVERIFY(near(early["steps"][0], 450, 1e-9));
    QVERIFY(early["steps"][3].is_null());
    QVERIFY(near(early["median_step"], 450, 1e-9));
    QVERIFY(near(early["restricted_mean"], (450 + 350 + 650 + 1600) / 4., 1e-9));
    QCOMPARE(early["curve"].size(), std::size_t(3));
    QVERIFY(near(early["curve"][2][0], 650, 1e-9) && near(early["curve"][2][1], .75, 1e-12));
    QCOMPARE(early["on_plateau"].get<int>(), 4);
    QVERIFY(document["log_rank"]["p"].is_number());
    QVERIFY(near(document["emergence_threshold"], .5, 0));
}

void TstStatsTable::noiseWithTrials()
{
    const Json document = documentOf(R"({"groups": {"a": [0.8, 0.9, 0.6], "b": [0.5, 0.5, 0.5]}, "trials": {"a": [50, 50, 50]}})");
    QVERIFY(near(document["groups"][0]["noise_corrected_sd"], std::sqrt(.07 / 3 - (.16 + .09 + .24) / 3 / 49), 1e-12));
    QVERIFY(document["groups"][1]["noise_corrected_sd"].is_null());
    QCOMPARE(document["noise"]["groups"].size(), std::size_t(2));
    QVERIFY(!document["noise"]["groups"][1]["note"].get<std::string>().empty());
}

void TstStatsTable::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "[]", "3", "{", "{\"groups\": []}", "{\"groups\": {}}", "{\"groups\": {\"a\": 3}}", "{\"groups\": {\"a\": [\"x\"]}}", "{\"groups\": {\"a\": [[1]]}}",
                             "{\"groups\": {\"a\": [true]}}", "{\"groups\": {\"a\": [1], \"a\": [2]}}", "{\"group\": {\"a\": [1]}}", "{\"groups\": {\"a\": [1]}, \"flor\": 3}",
                             "{\"groups\": {\"a\": [1]}, \"floor\": \"x\"}", "{\"groups\": {\"a\": [1]}, \"seeds\": {\"a\": [1, 2]}}", "{\"groups\": {\"a\": [1]}, \"seeds\": {\"b\": [1]}}",
                             "{\"groups\": {\"a\": [1]}, \"seeds\": {\"a\": [1.5]}}", "{\"groups\": {\"a\": [1]}, \"trials\": {\"a\": [0]}}", "{\"groups\": {\"a\": [1]}, \"trials\": [1]}",
                             "{\"groups\": {\"a\": [1e999]}}", "{\"groups\": {\"a\": [NaN]}}", "{\"groups\": {\"a\": [1]}, \"lower_is_better\": 1}", "{\"groups\": {\"a\": [1]}, \"metric\": 1}"})
        QTest::newRow(text) << QByteArray(text);
}

void TstStatsTable::brokenFiles()
{
    QFETCH(QByteArray, text);
    try {
        statisticsFromValuesJson(text.toStdString(), "values.json");
        QFAIL("accepted");
    } catch (const Error& error) {
        QVERIFY(error.kind() == ErrorKind::Malformed);
        QVERIFY2(std::string(error.what()).find("values.json") != std::string::npos, error.what());
    }
}

void TstStatsTable::brokenInput()
{
    const auto refused = [](auto change) {
        StatisticsInput input = seedLottery();
        change(input);
        QVERIFY_THROWS_EXCEPTION(Error, statisticsTable(input));
    };
    refused([](StatisticsInput& input) { input.arms.clear(); });
    refused([](StatisticsInput& input) { input.arms[1].arm = "standard"; });
    refused([](StatisticsInput& input) { input.arms[0].seeds[1] = input.arms[0].seeds[0]; });
    refused([](StatisticsInput& input) { input.arms[0].seeds.pop_back(); });
    refused([](StatisticsInput& input) { input.arms[0].trials = {50}; });
    refused([](StatisticsInput& input) { input.arms[0].series.resize(2); });
    refused([](StatisticsInput& input) { input.arms[0].perplexities = {24}; });
}

void TstStatsTable::csvHasOneWidth()
{
    StatisticsInput input = seedLottery();
    input.arms[0].arm = "a, \"quoted\"\nname";
    input.arms[0].values[3] = NAN;
    const std::string csv = toCsv(statisticsTable(input));
    std::size_t columns = 0;
    std::size_t count = 1;
    bool inside = false;
    int rows = 0;
    for (const char c : csv) {
        if (c == '"')
            inside = !inside;
        else if (c == ',' && !inside)
            ++count;
        else if (c == '\n' && !inside) {
            if (rows++ == 0)
                columns = count;
            QCOMPARE(count, columns);
            count = 1;
        }
    }
    QVERIFY(rows > 30 && !inside);
    QVERIFY(csv.find("\"a, \"\"quoted\"\"\nname\"") != std::string::npos);
    QVERIFY(csv.find(",nan,") != std::string::npos);
}

void TstStatsTable::latexEscapes()
{
    StatisticsInput input = seedLottery();
    input.arms[0].arm = "50 % & mobius_25 #1 {x} \\y ~ ^ $";
    const std::string latex = toLatex(statisticsTable(input));
    QVERIFY(latex.find("50 \\% \\& mobius\\_25 \\#1 \\{x\\} \\textbackslash{}y \\textasciitilde{} \\textasciicircum{} \\$") != std::string::npos);
    QVERIFY(latex.find("\\begin{tabular}") != std::string::npos && latex.find("Brown-Forsythe") != std::string::npos);
    QCOMPARE(latex.find("–"), std::string::npos);
}

void TstStatsTable::manyArms()
{
    StatisticsInput input;
    RandomStream random(1, "many arms");
    for (int arm = 0; arm < 10; ++arm) {
        ArmScores scores;
        scores.arm = "arm " + std::to_string(arm);
        for (int seed = 0; seed < 50; ++seed) {
            scores.values.push_back(random.uniform());
            scores.seeds.push_back(seed);
            scores.trials.push_back(8800);
            std::vector<SeriesPoint> series;
            for (int step = 0; step <= 16; ++step)
                series.push_back({step * 100.0, random.uniform() * step / 16});
            scores.series.push_back(series);
        }
        input.arms.push_back(scores);
    }
    QElapsedTimer timer;
    timer.start();
    const StatisticsTable table = statisticsTable(input);
    const std::size_t bytes = dumpLine(toJson(table)).size() + toCsv(table).size() + toLatex(table).size() + toText(table).size();
    qInfo("10 arms of 50 seeds, all tests and texts: %lld ms, %zu bytes", timer.elapsed(), bytes);
    QCOMPARE(table.groups.size(), std::size_t(10));
    QVERIFY(table.tests.size() > 45 * 8);
    for (const TestResult& test : table.tests)
        QVERIFY2(test.p && *test.p >= 0 && *test.p <= 1, test.name.c_str());
    for (int arm = 10; arm < 20; ++arm) {
        input.arms.push_back(input.arms[0]);
        input.arms.back().arm = "arm " + std::to_string(arm);
    }
    const StatisticsTable more = statisticsTable(input);
    QCOMPARE(more.tests.size(), std::size_t(4));
    QVERIFY(!more.notes.empty());
}

void TstStatsTable::manyValues()
{
    StatisticsInput input;
    RandomStream random(2, "many values");
    for (const char* name : {"a", "b"}) {
        ArmScores arm;
        arm.arm = name;
        for (int i = 0; i < 20000; ++i)
            arm.values.push_back(random.uniform());
        input.arms.push_back(arm);
    }
    QElapsedTimer timer;
    timer.start();
    const StatisticsTable table = statisticsTable(input);
    qInfo("2 arms of 20000 values: %lld ms", timer.elapsed());
    QVERIFY(table.tests[0].p && !table.groups[0].humps.twoHumped);
    QCOMPARE(table.groups[0].bestOf.size(), std::size_t(64));
}

QTEST_GUILESS_MAIN(TstStatsTable)
#include "tst_stats_table.moc"
