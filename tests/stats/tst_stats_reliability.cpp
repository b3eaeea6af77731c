#include <QtTest>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/stats/bootstrap.h"
#include "core/stats/contingency.h"
#include "core/stats/descriptive.h"
#include "core/stats/humps.h"
#include "core/stats/lottery.h"
#include "core/stats/noise.h"
#include "core/stats/paired_tests.h"
#include "core/stats/permutation.h"
#include "core/stats/power.h"
#include "core/stats/proportion.h"

using namespace holo::stats;

namespace {

// Needle scores of 14 seeds of a small model; a gap of .7 lies between those that learned and those that did not.
const std::vector<double> kStandard = {.972, .235, .959, .986, .951, .972, .975, .981, .220, .982, .221, .228, .221, .981};
const std::vector<double> kMobius = {.893, .985, .981, .983, .950, .805, .953, .978, .233, .980, .217, .476, .222, .966};

}  // namespace

class TstStatsReliability : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void learnedShares();
    void twoHumps();
    void oneHump();
    void evenSpreadIsRarelyTwoHumped();
    void noiseCorrection();
    void noiseCorrectionRefuses();
    void mcnemarOfSharedSeeds();
    void pairedDegenerate();
    void sharesOutOfRange();
    void twoLevelIsWiderThanItsParts();
    void bootstrapDegenerate();
    void sdRatios();
    void worstOf();
    void powerOfTheReferenceTable_data();
    void powerOfTheReferenceTable();
    void plannedSeeds();
    void planRefuses();
};

void TstStatsReliability::learnedShares()
{
    const LearnedShare share = learnedShare(kStandard, .5);
    QCOMPARE(*share.k, 9);
    QCOMPARE(share.n, 14);
    QVERIFY(share.wilson->lo > .38 && share.wilson->lo < .39);
    QCOMPARE(*learnedShare(std::vector<double>{.5, NAN, .4999}, .5).k, 1);
    QCOMPARE(*learnedShare(std::vector<double>{24, 23, 30}, 24, true).k, 2);
    QVERIFY(!learnedShare({}, .5).wilson);
}

void TstStatsReliability::twoHumps()
{
    const HumpResult humps = findHumps(kStandard);
    QVERIFY(humps.twoHumped);
    QCOMPARE(humps.nBelow, 5);
    QCOMPARE(humps.nAbove, 9);
    QVERIFY(std::abs(*humps.gap - (.951 - .235)) < 1e-12);
    // One stuck seed among eight.
    QVERIFY(findHumps(std::vector<double>(kStandard.begin(), kStandard.begin() + 8)).twoHumped);
    QVERIFY(!findHumps(std::vector<double>(kMobius.begin(), kMobius.begin() + 8)).twoHumped);
}

void TstStatsReliability::oneHump()
{
    QVERIFY(!findHumps(std::vector<double>{.1, .3, .5, .7, .9}).twoHumped);
    QVERIFY(!findHumps(std::vector<double>{.1, .9, .9}).twoHumped);              // too few
    QVERIFY(!findHumps(std::vector<double>{.90, .901, .902, .95, .951}).twoHumped);  // narrow
    QVERIFY(!findHumps(std::vector<double>(9, .4)).twoHumped);
    QVERIFY(!findHumps({}).gap);
    // A straggler of a broad hump that is cut off at 1: improbable if evenly spread, but no gap beside the hump's own width.
    std::vector<double> broad{.05};
    for (int i = 0; i < 30; ++i)
        broad.push_back(std::min(1.0, .3 + .03 * i));
    const HumpResult straggler = findHumps(broad);
    QVERIFY(*straggler.p < .01 && *straggler.gap > .1);
    QVERIFY(!straggler.twoHumped);
    // Three scores: the larger of two spacings takes at least x with chance 2(1−x).
    const HumpResult three = findHumps(std::vector<double>{0, .8, 1}, {3, .1, .01, 2});
    QVERIFY(std::abs(*three.p - .4) < 1e-12);
}

void TstStatsReliability::evenSpreadIsRarelyTwoHumped()
{
    for (const int n : {4, 8, 14, 70}) {
        holo::RandomStream random(1, "humps", {std::uint64_t(n)});
        int flagged = 0;
        for (int i = 0; i < 4000; ++i) {
            std::vector<double> values;
            for (int j = 0; j < n; ++j)
                values.push_back(random.uniform());
            flagged += findHumps(values, {4, 0, .05, 0}).twoHumped;
        }
        const double rate = flagged / 4000.0;
        QVERIFY2(rate < .05 + .012, QByteArray::number(rate));
        QVERIFY2(rate > .05 - .015, QByteArray::number(rate));
    }
}

void TstStatsReliability::noiseCorrection()
{
    const std::vector<double> scores = {.9, .8, .85, .95};
    const std::vector<double> trials = {50, 50, 100, 50};
    const NoiseCorrection result = noiseCorrected(scores, trials);
    const double noise = (.9 * .1 / 49 + .8 * .2 / 49 + .85 * .15 / 99 + .95 * .05 / 49) / 4;
    QVERIFY(std::abs(*result.trialVariance - noise) < 1e-15);
    QVERIFY(std::abs(*result.corrected - (*sampleVariance(scores) - noise)) < 1e-15);
    QVERIFY(std::abs(*result.sd - std::sqrt(*result.corrected)) < 1e-15);

    // Seeds without any spread of their own: the correction is zero on average.
    holo::RandomStream random(3, "trials");
    double sum = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<double> drawn;
        for (int j = 0; j < 6; ++j) {
            int right = 0;
            for (int t = 0; t < 50; ++t)
                right += random.uniform() < .9;
            drawn.push_back(right / 50.0);
        }
        sum += *noiseCorrected(drawn, std::vector<double>(6, 50)).corrected;
    }
    QVERIFY(std::abs(sum / 2000) < 1.5e-4);  // the trials alone make .0018

    const NoiseCorrection negative = noiseCorrected(std::vector<double>{.5, .5, .5}, std::vector<double>{10, 10, 10});
    QVERIFY(*negative.corrected < 0);
    QCOMPARE(*negative.sd, 0.0);
    QVERIFY(!negative.note.empty());
}

void TstStatsReliability::noiseCorrectionRefuses()
{
    const std::vector<double> three = {.5, .6, .7};
    for (const auto& trials : {std::vector<double>{}, std::vector<double>{10, 10}, std::vector<double>{10, 1, 10}, std::vector<double>{10, NAN, 10}}) {
        const NoiseCorrection result = noiseCorrected(three, trials);
        QVERIFY(result.variance && !result.corrected && !result.sd && !result.note.empty());
    }
    QVERIFY(!noiseCorrected(std::vector<double>{14, 42, 60}, std::vector<double>(3, 50)).corrected);
    QVERIFY(!noiseCorrected(std::vector<double>{.5}, std::vector<double>{50}).variance);
}

void TstStatsReliability::mcnemarOfSharedSeeds()
{
    // Four discordant pairs, all one way.
    const TestResult test = mcnemarExact({9, 4, 0, 1});
    QVERIFY(std::abs(*test.p - .125) < 1e-12);
    QVERIFY(test.note.find("only first 4") != std::string::npos);
    QCOMPARE(*mcnemarExact({9, 0, 0, 5}).p, 1.0);
    QCOMPARE(*mcnemarExact({0, 3, 3, 0}).p, 1.0);
    const PairedCounts counts = pairedCounts({true, true, false, false, true}, {true, false, true, false, true});
    QCOMPARE(counts.both, std::int64_t(2));
    QCOMPARE(counts.onlyFirst, std::int64_t(1));
    QCOMPARE(counts.onlySecond, std::int64_t(1));
    QCOMPARE(counts.neither, std::int64_t(1));
}

void TstStatsReliability::pairedDegenerate()
{
    const std::vector<double> x = {.1, .2, .3, .4};
    for (const auto& test : {wilcoxonSignedRank(x, x), pairedPermutation(x, x), pitmanMorgan(x, x), pitmanMorgan(x, std::vector<double>{.2, .4, .6, .8}),
                             wilcoxonSignedRank(std::vector<double>{.1, NAN, .3}, x), pairedPermutation(std::vector<double>{1, 2}, x), pitmanMorgan({}, {}),
                             cochranQ(std::vector<std::vector<bool>>(5, {true, true, true})), cochranQ({})}) {
        QVERIFY2(!test.p, test.name.c_str());
        QVERIFY2(!test.note.empty(), test.name.c_str());
    }
    const std::vector<double> withNan = {.5, .6, NAN, .8, INFINITY, .9};
    const std::vector<double> other = {.1, .2, .3, .7, .5, .4};
    const TestResult test = wilcoxonSignedRank(withNan, other);
    QVERIFY(test.p && test.note.find("2 pairs with a non-finite score left out") != std::string::npos);
    QCOMPARE(*test.p, .125);
}

void TstStatsReliability::sharesOutOfRange()
{
    for (const TwoShares& shares : {TwoShares{-1, 3, 0, 3}, TwoShares{4, 3, 0, 3}, TwoShares{0, 3, 1, -1}}) {
        QVERIFY_THROWS_EXCEPTION(holo::Error, fisherExact(shares));
        QVERIFY_THROWS_EXCEPTION(holo::Error, barnardExact(shares));
    }
    QVERIFY_THROWS_EXCEPTION(holo::Error, barnardExact({1, 1000000, 1, 5}));
    QCOMPARE(*fisherExact({0, 0, 3, 5}).p, 1.0);
    QCOMPARE(*barnardExact({5, 5, 3, 3}).p, 1.0);
    QVERIFY(*fisherExact({4'000'000, 8'000'000, 4'010'000, 8'000'000}).p < 1e-5);
    QCOMPARE(*fisherExact({8, 8, 5, 8}).p, *fisherExact({5, 8, 8, 8}).p);
    QVERIFY(std::abs(*barnardExact({8, 8, 5, 8}).p - *barnardExact({3, 8, 0, 8}).p) < 1e-12);
}

void TstStatsReliability::twoLevelIsWiderThanItsParts()
{
    const std::vector<std::int64_t> k = {45, 40, 30, 48, 44, 20};
    const std::vector<std::int64_t> n(6, 50);
    std::vector<double> shares;
    for (const auto right : k)
        shares.push_back(double(right) / 50);
    const TwoLevelResult both = twoLevelBootstrap(k, n);
    const std::vector<double> samples[] = {shares};
    const BootstrapResult seeds = bootstrap(samples, [](std::span<const std::vector<double>> s) { return *mean(s[0]); });
    QCOMPARE(*both.mean, *mean(shares));
    QVERIFY(both.meanInterval->hi - both.meanInterval->lo > seeds.percentile->hi - seeds.percentile->lo);
    // Variance of the mean: Σ(p − p̄)²/n² from seeds and Σ p(1−p)/(n² trials) from trials.
    double between = 0;
    double within = 0;
    for (const double share : shares) {
        between += std::pow(share - *both.mean, 2) / 36;
        within += share * (1 - share) / 50 / 36;
    }
    const double half = 1.96 * std::sqrt(between + within);
    QVERIFY(std::abs((both.meanInterval->hi - both.meanInterval->lo) / 2 - half) < .1 * half);
    QVERIFY(twoLevelBootstrap(std::vector<std::int64_t>{5}, std::vector<std::int64_t>{4}).note.size() > 0);
    QVERIFY(!twoLevelBootstrap(std::vector<std::int64_t>{5}, std::vector<std::int64_t>{5}).meanInterval);
    QCOMPARE(twoLevelBootstrap(k, n).sdInterval->hi, both.sdInterval->hi);
}

void TstStatsReliability::bootstrapDegenerate()
{
    const Statistic ratio = [](std::span<const std::vector<double>> s) { return *sampleSd(s[0]) / *sampleSd(s[1]); };
    const std::vector<std::vector<double>> flat = {{1, 2, 3}, {2, 2, 2}};
    QVERIFY(!bootstrap(flat, ratio).percentile);
    const std::vector<std::vector<double>> one = {{1, 2, 3}, {2}};
    QVERIFY(!bootstrap(one, ratio).estimate);
    const std::vector<std::vector<double>> few = {{1, 2, 3}, {4, 5, 7}};
    const BootstrapResult result = bootstrap(few, ratio);
    QVERIFY(result.percentile && std::isfinite(result.percentile->hi));
    QVERIFY(result.note.find("left out") != std::string::npos);
    const std::vector<std::vector<double>> same = {{.5, .5, .5}};
    const BootstrapResult constant = bootstrap(same, [](std::span<const std::vector<double>> s) { return *mean(s[0]); });
    QCOMPARE(constant.percentile->lo, .5);
    QVERIFY(!constant.bca);
}

void TstStatsReliability::sdRatios()
{
    const Sample a{"a", {14, 42, 60, 78, 88, 98}};
    const Sample b{"b", {86, 86, 86, 90, 94, 100}};
    const SdRatio there = sdRatio(a, b);
    const SdRatio back = sdRatio(b, a);
    QVERIFY(std::abs(*there.ratio - std::sqrt(30.155102)) < 1e-6);
    QVERIFY(std::abs(*there.ratio * *back.ratio - 1) < 1e-12);
    QVERIFY(there.percentile->lo < *there.ratio && *there.ratio < there.percentile->hi);
    QVERIFY(std::abs(there.percentile->lo * back.percentile->hi - 1) < 1e-12);
    QVERIFY(std::abs(there.bca->hi * back.bca->lo - 1) < 1e-12);
    QVERIFY(!sdRatio(a, {"b", {1, 1, 1}}).ratio && !sdRatio({"a", {1, 2}}, b).ratio);
    QVERIFY(!sdRatio(a, {"b", {1, 1, 1}}).note.empty());
}

void TstStatsReliability::worstOf()
{
    QVERIFY(std::abs(*expectedLowestOf(kStandard, 14) - .220) < 1e-12);
    QVERIFY(std::abs(*expectedLowestOf(kStandard, 1) - *mean(kStandard)) < 1e-12);
    QVERIFY(std::abs(*bestOfReaches(kStandard, 6, .5) - 1) < 1e-12);  // five are stuck
    QVERIFY(std::abs(*bestOfReaches(kStandard, 1, .5) - 9.0 / 14) < 1e-12);
}

void TstStatsReliability::powerOfTheReferenceTable_data()
{
    QTest::addColumn<int>("seeds");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<int>("test");
    QTest::addColumn<double>("power");
    const struct {
        int seeds;
        double ratio;
        double levene, brownForsythe, fligner;
    } rows[] = {{4, 5.5, .39, .31, .49}, {6, 2, .24, .14, .16}, {6, 3, .47, .30, .36}, {6, 5.5, .73, .53, .63}, {10, 3, .76, .65, .59},
                {10, 5.5, .96, .92, .88}, {6, 1, .068, .040, .042}, {4, 1, .087, .070, .078}};
    for (const auto& row : rows) {
        QTest::addRow("Levene %d %g", row.seeds, row.ratio) << row.seeds << row.ratio << int(SpreadTest::Levene) << row.levene;
        QTest::addRow("Brown-Forsythe %d %g", row.seeds, row.ratio) << row.seeds << row.ratio << int(SpreadTest::BrownForsythe) << row.brownForsythe;
        QTest::addRow("Fligner-Killeen %d %g", row.seeds, row.ratio) << row.seeds << row.ratio << int(SpreadTest::FlignerKilleen) << row.fligner;
    }
}

void TstStatsReliability::powerOfTheReferenceTable()
{
    QFETCH(int, seeds);
    QFETCH(double, ratio);
    QFETCH(int, test);
    QFETCH(double, power);
    PowerPlan plan;
    plan.sdRatio = ratio;
    plan.test = SpreadTest(test);
    plan.simulations = 8000;
    const PowerPoint point = simulatedPower(plan, seeds);
    QVERIFY2(std::abs(point.power - power) < .03, QByteArray::number(point.power));
}

void TstStatsReliability::plannedSeeds()
{
    PowerPlan plan;
    plan.hoursPerRun = 1.5;
    QElapsedTimer timer;
    timer.start();
    const PowerResult result = planPower(plan);
    qInfo("default plan: %d seeds an arm in %lld ms", result.seeds.value_or(-1), timer.elapsed());
    QVERIFY(result.seeds && *result.seeds > 10 && *result.seeds < 20);
    QCOMPARE(*result.gpuHours, *result.seeds * 2 * 1.5);
    QVERIFY(simulatedPower(plan, *result.seeds).power >= .8);
    QVERIFY(simulatedPower(plan, *result.seeds - 1).power < .8);
    for (std::size_t i = 1; i < result.curve.size(); ++i)
        QVERIFY(result.curve[i].seeds > result.curve[i - 1].seeds);
    QCOMPARE(*planPower(plan).seeds, *result.seeds);
    plan.sdRatio = 1;
    plan.maxSeeds = 20;
    QVERIFY(!planPower(plan).seeds && !planPower(plan).gpuHours);
}

void TstStatsReliability::planRefuses()
{
    const auto refused = [](auto change) {
        PowerPlan plan;
        change(plan);
        QVERIFY_THROWS_EXCEPTION(holo::Error, planPower(plan));
    };
    refused([](PowerPlan& p) { p.sdRatio = .5; });
    refused([](PowerPlan& p) { p.sdRatio = NAN; });
    refused([](PowerPlan& p) { p.alpha = 0; });
    refused([](PowerPlan& p) { p.power = 1; });
    refused([](PowerPlan& p) { p.arms = 1; });
    refused([](PowerPlan& p) { p.maxSeeds = 2; });
    refused([](PowerPlan& p) { p.simulations = 0; });
    refused([](PowerPlan& p) { p.hoursPerRun = -1; });
    QVERIFY_THROWS_EXCEPTION(holo::Error, simulatedPower({}, 2));
}

QTEST_GUILESS_MAIN(TstStatsReliability)
#include "tst_stats_reliability.moc"
