#include <QtTest>

#include <cmath>

#include "core/stats/emergence.h"
#include "core/stats/survival.h"

using namespace holo::stats;

class TstStatsEmergence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void crossingIsInterpolated();
    void crossingAtTheFirstEvaluation();
    void noCrossingIsCensored();
    void onlyTheFirstCrossingCounts();
    void repeatedAndBrokenPoints();
    void plateau();
    void plateauIsLeftOrNot();
    void nobodyEmerged();
    void everybodyAtOnce();
    void tooFewRuns();
};

void TstStatsEmergence::crossingIsInterpolated()
{
    const std::vector<SeriesPoint> series = {{200, .2}, {400, .3}, {600, .7}, {800, .9}};
    const auto found = emergenceStep(series, .5);
    QVERIFY(found->observed);
    QVERIFY(std::abs(found->step - 500) < 1e-9);
    QVERIFY(std::abs(emergenceStep(series, .7)->step - 600) < 1e-9);
    QVERIFY(std::abs(emergenceStep(series, .8)->step - 700) < 1e-9);
}

void TstStatsEmergence::crossingAtTheFirstEvaluation()
{
    const auto found = emergenceStep(std::vector<SeriesPoint>{{100, .9}, {200, .1}}, .5);
    QVERIFY(found->observed);
    QCOMPARE(found->step, 100.0);
}

void TstStatsEmergence::noCrossingIsCensored()
{
    const std::vector<SeriesPoint> series = {{200, .2}, {1400, .24}};
    QVERIFY(!emergenceStep(series, .5)->observed);
    QCOMPARE(emergenceStep(series, .5)->step, 1400.0);
    QCOMPARE(emergenceStep(series, .5, 1600.0)->step, 1600.0);
    QVERIFY(!emergenceStep({}, .5));
    QVERIFY(!emergenceStep(std::vector<SeriesPoint>{{100, NAN}}, .5));
}

void TstStatsEmergence::onlyTheFirstCrossingCounts()
{
    const std::vector<SeriesPoint> series = {{0, 0}, {100, .6}, {200, .1}, {300, 1}};
    QVERIFY(std::abs(emergenceStep(series, .5)->step - 100 * .5 / .6) < 1e-9);
}

void TstStatsEmergence::repeatedAndBrokenPoints()
{
    // Out of order, a dead attempt's score replaced by the later one, and a diverged evaluation.
    const std::vector<SeriesPoint> series = {{300, .9}, {100, .8}, {200, NAN}, {100, .1}};
    QCOMPARE(cleanSeries(series).size(), std::size_t(2));
    QVERIFY(std::abs(emergenceStep(series, .5)->step - 200) < 1e-9);
}

void TstStatsEmergence::plateau()
{
    const std::vector<SeriesPoint> series = {{0, .03}, {200, .19}, {400, .22}, {600, .21}, {800, .6}, {1000, .97}};
    const auto stretch = findPlateau(series, {.2, .05, 3});
    QVERIFY(stretch.has_value());
    QCOMPARE(stretch->firstStep, 200.0);
    QCOMPARE(stretch->lastStep, 600.0);
    QCOMPARE(stretch->evaluations, std::size_t(3));
    QVERIFY(!stretch->toTheEnd);
    QVERIFY(!findPlateau(series, {.2, .05, 4}));
    QVERIFY(!findPlateau(series, {.2, .005, 1}));
    QVERIFY(!findPlateau({}, {.2, .05, 1}));
}

void TstStatsEmergence::plateauIsLeftOrNot()
{
    std::vector<SeriesPoint> series;
    for (int i = 0; i < 8; ++i)
        series.push_back({i * 200.0, i == 0 ? .03 : .22});
    QVERIFY(findPlateau(series, {.2, .05, 3})->toTheEnd);
    // Of two stretches the longer one.
    const std::vector<SeriesPoint> twice = {{0, .2}, {1, .2}, {2, .9}, {3, .2}, {4, .2}, {5, .2}, {6, .9}};
    QCOMPARE(findPlateau(twice, {.2, .05, 2})->firstStep, 3.0);
}

void TstStatsEmergence::nobodyEmerged()
{
    const std::vector<Duration> stuck(5, {1600, false});
    const KaplanMeier km = kaplanMeier(stuck, 1600);
    QVERIFY(km.curve.empty() && !km.median);
    QCOMPARE(km.restrictedMean, 1600.0);
    QCOMPARE(km.restrictedMeanError, 0.0);
    const TestResult test = logRank(std::vector<DurationSample>{{"a", stuck}, {"b", stuck}});
    QVERIFY(!test.p && !test.note.empty());
}

void TstStatsEmergence::everybodyAtOnce()
{
    const std::vector<Duration> same(4, {500, true});
    const KaplanMeier km = kaplanMeier(same, 1600);
    QCOMPARE(km.curve.size(), std::size_t(1));
    QCOMPARE(km.curve[0].emerged, 1.0);
    QCOMPARE(*km.median, 500.0);
    QCOMPARE(km.restrictedMean, 500.0);
    const TestResult test = logRank(std::vector<DurationSample>{{"a", same}, {"b", same}});
    QVERIFY2(!test.p, "one event step at which all emerge has no variance");
    QVERIFY(!test.note.empty());
}

void TstStatsEmergence::tooFewRuns()
{
    const std::vector<Duration> many = {{100, true}, {200, true}, {300, false}};
    for (std::size_t n = 0; n < 3; ++n) {
        const std::vector<Duration> few(many.begin(), many.begin() + std::ptrdiff_t(n));
        const TestResult test = logRank(std::vector<DurationSample>{{"a", many}, {"few", few}});
        QVERIFY(!test.p);
        QVERIFY(test.note.find("few has " + std::to_string(n)) != std::string::npos);
    }
    QVERIFY(!logRank(std::vector<DurationSample>{{"a", many}}).p);
    QVERIFY(kaplanMeier({}, 100).curve.empty());
}

QTEST_GUILESS_MAIN(TstStatsEmergence)
#include "tst_stats_emergence.moc"
