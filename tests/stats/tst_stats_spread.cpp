#include <QtTest>

#include <cmath>

#include "core/stats/descriptive.h"
#include "core/stats/location_tests.h"
#include "core/stats/paired_tests.h"
#include "core/stats/permutation.h"
#include "core/stats/proportion.h"
#include "core/stats/spread_tests.h"

using namespace holo::stats;

namespace {

// Two groups of a 15 × 1 grid, reference values of SciPy 1.10.1.
const Sample kA{"a", {14, 42, 60, 78, 88, 98}};
const Sample kB{"b", {86, 86, 86, 90, 94, 100}};
const std::vector<Sample> kGrid = {kA, kB};
const std::vector<Sample> kShares = {{"a", {.86, .91, .95, .88, .93, .89}}, {"b", {.14, .98, .35, .92, .61, .80}}};

void compare(const TestResult& test, double statistic, double p, double tolerance)
{
    QVERIFY2(test.p && test.statistic, test.note.c_str());
    QVERIFY2(std::abs(*test.statistic - statistic) <= tolerance, (test.name + " statistic " + std::to_string(*test.statistic)).c_str());
    QVERIFY2(std::abs(*test.p - p) <= tolerance, (test.name + " p " + std::to_string(*test.p)).c_str());
}

std::vector<TestResult> allOf(const std::vector<Sample>& samples)
{
    std::vector<TestResult> result = {levene(samples, Centre::Median), levene(samples, Centre::Mean),         leveneTrimmed(samples, .2),
                                      flignerKilleen(samples),         flignerKilleen(samples, Centre::Mean), bartlett(samples)};
    if (samples.size() == 2) {
        result.push_back(fRatioTwoSided(samples[0], samples[1]));
        result.push_back(welch(samples[0], samples[1]));
        result.push_back(permutationSpread(samples[0], samples[1], SpreadStatistic::LogVarianceRatio));
        result.push_back(permutationSpread(samples[0], samples[1], SpreadStatistic::MeanAbsoluteDeviation));
    }
    return result;
}

}  // namespace

class TstStatsSpread : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void referenceTable();
    void sharesOfTwoArms();
    void otherGroupOfTheTrio();
    void spreadIsSampleDeviation();
    void identicalLargeNumbers();
    void hugeAndTinySpreads();
    void wilsonValues();
    void fewerThanThree_data();
    void fewerThanThree();
    void noDeviations_data();
    void noDeviations();
    void nonFiniteIsLeftOut();
    void orderDoesNotMatter();
    void scaleDoesNotMatter();
    void monteCarloAgreesWithExact();
};

void TstStatsSpread::referenceTable()
{
    QVERIFY(std::abs(*mean(kA.values) - 63.3333) < 1e-4 && std::abs(*sampleSd(kA.values) - 31.3858) < 1e-4);
    QVERIFY(std::abs(*mean(kB.values) - 90.3333) < 1e-4 && std::abs(*sampleSd(kB.values) - 5.7155) < 1e-4);
    const double t = 1.01e-6;
    compare(levene(kGrid, Centre::Mean), 9.297704, .012268, t);
    compare(levene(kGrid, Centre::Median), 7.998710, .017907, t);
    compare(leveneTrimmed(kGrid, .2), 9.218182, .022916, t);
    compare(flignerKilleen(kGrid), 6.205937, .012732, t);
    compare(flignerKilleen(kGrid, Centre::Mean), 4.651434, .031028, t);
    compare(bartlett(kGrid), 9.478671, .002079, t);
    compare(fRatioOneSided(kA, kB), 30.155102, .000968, t);
    compare(fRatioTwoSided(kA, kB), 30.155102, .001937, t);
    compare(permutationSpread(kA, kB, SpreadStatistic::LogVarianceRatio), 3.406354, 6. / 924, t);
    compare(permutationSpread(kA, kB, SpreadStatistic::MeanAbsoluteDeviation), 20.333333, 8. / 924, t);
    compare(welch(kA, kB), -2.073110, .089388, t);
    QVERIFY(std::abs(welch(kA, kB).df.at(0) - 5.331255) < t);
    compare(pitmanMorgan(kA.values, kB.values), .978250, .000704, t);
}

void TstStatsSpread::sharesOfTwoArms()
{
    compare(levene(kShares, Centre::Median), 10.8123891960, .0081745798, 1e-10);
    compare(levene(kShares, Centre::Mean), 13.4022750776, .0043824716, 1e-10);
    compare(flignerKilleen(kShares), 7.5859607140, .0058824606, 1e-10);
}

void TstStatsSpread::otherGroupOfTheTrio()
{
    const std::vector<Sample> samples = {{"a", {14, 40, 63, 80, 85, 98}}, kB};
    QVERIFY(std::abs(*levene(samples, Centre::Mean).p - .0161) < 5e-5);
    QVERIFY(std::abs(*levene(samples, Centre::Median).p - .0293) < 5e-5);
    QVERIFY(std::abs(*flignerKilleen(samples).p - .0127) < 5e-5);
}

void TstStatsSpread::spreadIsSampleDeviation()
{
    QVERIFY(std::abs(*sampleSd(kShares[1].values) - .3329664648) < 1e-10);
    QVERIFY(!sampleSd(std::vector<double>{.5}));
    QVERIFY(!sampleSd(std::vector<double>{}));
    QVERIFY(!mean(std::vector<double>{NAN, INFINITY}));
    QCOMPARE(*mean(std::vector<double>{NAN, 2, -INFINITY, 4}), 3.0);
    QCOMPARE(*worstIndex(std::vector<double>{NAN, .5, .2, .2}), std::size_t(2));
    QCOMPARE(*worstIndex(std::vector<double>{NAN, .5, .2, .2}, true), std::size_t(1));
    QCOMPARE(*quantile(std::vector<double>{4, 1, 3, 2}, .25), 1.75);
    QVERIFY(!quantile(std::vector<double>{1}, 1.5));
}

void TstStatsSpread::identicalLargeNumbers()
{
    for (const double value : {1e17 + 16, 1e300, -1e308, 0.1, 123456789.123456789, 5e-324})
        for (const std::size_t n : {2, 3, 7, 50, 1000}) {
            const std::vector<double> values(n, value);
            QCOMPARE(*sampleSd(values), 0.0);
            QCOMPARE(*mean(values), value);
        }
}

void TstStatsSpread::hugeAndTinySpreads()
{
    QVERIFY(std::abs(*sampleSd(std::vector<double>{-1e308, 1e308}) / 1e308 - std::sqrt(2)) < 1e-12);
    QVERIFY(std::abs(*sampleSd(std::vector<double>{1e-200, 3e-200}) / 1e-200 - std::sqrt(2)) < 1e-12);
    QVERIFY(std::abs(*sampleSd(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3}) - 1) < 1e-12);
}

void TstStatsSpread::wilsonValues()
{
    const struct {
        int k, n;
        double lo, hi;
    } rows[] = {{45, 50, .786398, .956524}, {7, 50, .069508, .261862}, {450, 500, .870578, .923322}, {0, 50, 0, .071348}, {50, 50, .928652, 1}, {903, 1000, .883085, .919831}};
    for (const auto& row : rows) {
        const Interval w = wilson(row.k, row.n);
        QVERIFY(std::abs(w.lo - row.lo) < 1e-6 && std::abs(w.hi - row.hi) < 1e-6);
    }
    QCOMPARE(wilson(0, 7).lo, 0.0);
    QCOMPARE(wilson(7, 7).hi, 1.0);
    QCOMPARE(wilson(0, 0).hi, 1.0);
    QVERIFY_THROWS_EXCEPTION(std::exception, wilson(8, 7));
    QVERIFY_THROWS_EXCEPTION(std::exception, wilson(-1, 7));
}

void TstStatsSpread::fewerThanThree_data()
{
    QTest::addColumn<int>("n");
    QTest::newRow("none") << 0;
    QTest::newRow("one") << 1;
    QTest::newRow("two") << 2;
}

void TstStatsSpread::fewerThanThree()
{
    QFETCH(int, n);
    const Sample few{"few", std::vector<double>(kShares[1].values.begin(), kShares[1].values.begin() + n)};
    for (const auto& samples : {std::vector<Sample>{few, kShares[0]}, std::vector<Sample>{kShares[0], few}, std::vector<Sample>{kShares[0], few, kShares[1]}})
        for (const TestResult& test : allOf(samples)) {
            QVERIFY2(!test.p && !test.statistic, test.name.c_str());
            QVERIFY2(test.note.find("few has " + std::to_string(n)) != std::string::npos, test.note.c_str());
        }
    for (const TestResult& test : allOf({kShares[0]}))
        QVERIFY(!test.p && !test.note.empty());
    for (const TestResult& test : allOf({}))
        QVERIFY(!test.p && !test.note.empty());
}

void TstStatsSpread::noDeviations_data()
{
    QTest::addColumn<double>("first");
    QTest::addColumn<double>("second");
    QTest::newRow("zeros") << 0.0 << 0.0;
    QTest::newRow("equal") << .9 << .9;
    QTest::newRow("different") << .1 << .7;
    QTest::newRow("huge") << 1e300 << -1e300;
}

void TstStatsSpread::noDeviations()
{
    QFETCH(double, first);
    QFETCH(double, second);
    for (const TestResult& test : allOf({{"a", {first, first, first, first}}, {"b", {second, second, second}}}))
        QVERIFY2(!test.p && !test.note.empty(), test.name.c_str());
    // Deviations that are all alike within each arm: the statistic would be infinite.
    QVERIFY(!levene(std::vector<Sample>{{"a", {0, 0, 2, 2}}, {"b", {0, 0, 4, 4}}}, Centre::Median).p);
    // One arm without spread is a finding, not a fault.
    const std::vector<Sample> one = {{"a", {first, first, first, first}}, {"b", {1, 2, 3, 4}}};
    if (std::abs(first) < 1e10)
        QVERIFY(levene(one, Centre::Median).p.has_value());
    QVERIFY(!bartlett(one).p);
}

void TstStatsSpread::nonFiniteIsLeftOut()
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    const auto clean = allOf(kShares);
    for (const double bad : values) {
        auto dirty = kShares;
        dirty[0].values.insert(dirty[0].values.begin() + 2, bad);
        const auto tests = allOf(dirty);
        for (std::size_t i = 0; i < tests.size(); ++i) {
            QCOMPARE(*tests[i].p, *clean[i].p);
            QVERIFY(tests[i].note.find("1 non-finite value of a left out") != std::string::npos);
        }
    }
}

void TstStatsSpread::orderDoesNotMatter()
{
    const std::vector<Sample> three = {kShares[0], {"c", {.1, .2, .30000000000000004, .7, .9}}, kShares[1]};
    const std::vector<Sample> turned = {{"b", {.80, .61, .92, .35, .98, .14}}, three[0], {"c", {.9, .1, .7, .2, .30000000000000004}}};
    const auto x = allOf(three);
    const auto y = allOf(turned);
    for (std::size_t i = 0; i < x.size(); ++i) {
        QCOMPARE(*x[i].statistic, *y[i].statistic);
        QVERIFY(*x[i].p == *y[i].p);
    }
    const auto there = allOf({three[1], three[2]});
    const auto back = allOf({three[2], three[1]});
    for (std::size_t i = 0; i < there.size(); ++i) {
        QVERIFY2(*there[i].p == *back[i].p, there[i].name.c_str());
        QVERIFY(std::abs(*there[i].statistic) == std::abs(*back[i].statistic));
    }
}

void TstStatsSpread::scaleDoesNotMatter()
{
    const auto plain = allOf(kGrid);
    for (const double scale : {0x1p-700, 0x1p-80, 0x1p80, 0x1p700, -0x1p300}) {
        auto scaled = kGrid;
        for (Sample& sample : scaled)
            for (double& value : sample.values)
                value *= scale;
        const auto tests = allOf(scaled);
        for (std::size_t i = 0; i < plain.size(); ++i) {
            QVERIFY2(tests[i].p.has_value(), (tests[i].name + tests[i].note).c_str());
            QVERIFY2(std::abs(*tests[i].p - *plain[i].p) < 1e-12, tests[i].name.c_str());
        }
    }
    // Where differences overflow there is a reason in place of a number.
    for (const TestResult& test : allOf({{"a", {-1.7e308, 1.7e308, 0, 1}}, {"b", {1, 2, 3}}}))
        QVERIFY2(!test.p && !test.note.empty(), test.name.c_str());
}

void TstStatsSpread::monteCarloAgreesWithExact()
{
    PermutationOptions drawn;
    drawn.exactLimit = 1;
    for (const SpreadStatistic statistic : {SpreadStatistic::LogVarianceRatio, SpreadStatistic::MeanAbsoluteDeviation}) {
        const auto exact = permutationSpread(kShares[0], kShares[1], statistic);
        const auto sampled = permutationSpread(kShares[0], kShares[1], statistic, Centre::Median, drawn);
        const double p = *exact.p;
        QVERIFY2(std::abs(*sampled.p - p) < 4 * std::sqrt(p / 9999) + 2e-4, std::to_string(*sampled.p).c_str());
        QCOMPARE(*permutationSpread(kShares[1], kShares[0], statistic, Centre::Median, drawn).p, *sampled.p);
        QVERIFY(sampled.note.find("Monte Carlo") != std::string::npos);
    }
}

QTEST_GUILESS_MAIN(TstStatsSpread)
#include "tst_stats_spread.moc"
