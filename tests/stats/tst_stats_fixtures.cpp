#include <QtTest>

#include <cmath>

#include "core/base/json.h"
#include "core/stats/bootstrap.h"
#include "core/stats/contingency.h"
#include "core/stats/descriptive.h"
#include "core/stats/location_tests.h"
#include "core/stats/lottery.h"
#include "core/stats/multiple.h"
#include "core/stats/paired_tests.h"
#include "core/stats/permutation.h"
#include "core/stats/proportion.h"
#include "core/stats/spread_tests.h"
#include "core/stats/survival.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::stats;

namespace {

bool near(double a, double b, double tolerance = 1e-10)
{
    return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

QByteArray told(const std::string& what, double ours, double theirs)
{
    return QByteArray::fromStdString(what + ": ours ") + QByteArray::number(ours, 'g', 17) + ", reference " + QByteArray::number(theirs, 'g', 17);
}

// Values of one arm in the fixture.
std::vector<double> values(const Json& list)
{
    return list.get<std::vector<double>>();
}

}  // namespace

class TstStatsFixtures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void groupSets_data();
    void groupSets();
    void barnardLikeScipy();
    void survival_data();
    void survival();
    void bootstrapIntervals();
    void lottery();
    void wilsonIntervals();
    void holmAdjustment();

private:
    // Compares a test with [statistic, p] or null of the fixture; `tolerance` is relative above 1.
    void compare(const TestResult& test, const Json& row, const char* key, double tolerance = 1e-10);

    Json m_document;
};

void TstStatsFixtures::initTestCase()
{
    m_document = readJsonFile(HOLO_SOURCE_DIR "/tests/stats/fixtures/statistics.json");
    QCOMPARE(m_document["sets"].size(), std::size_t(200));
}

void TstStatsFixtures::compare(const TestResult& test, const Json& row, const char* key, double tolerance)
{
    if (!row.contains(key))
        return;
    if (row[key].is_null()) {
        QVERIFY2(!test.p, (std::string(key) + " has no p in the reference").c_str());
        QVERIFY(!test.note.empty());
        return;
    }
    QVERIFY2(test.p && test.statistic, (std::string(key) + ": " + test.note).c_str());
    const double statistic = toDouble(row[key][0], key);
    const double p = toDouble(row[key][1], key);
    QVERIFY2(near(*test.statistic, statistic, tolerance), told(std::string(key) + " statistic", *test.statistic, statistic));
    QVERIFY2(near(*test.p, p, tolerance), told(std::string(key) + " p", *test.p, p));
}

void TstStatsFixtures::groupSets_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(m_document["sets"].size()); ++i)
        QTest::addRow("%d %s", i, m_document["sets"][std::size_t(i)]["kind"].get<std::string>().c_str()) << i;
}

void TstStatsFixtures::groupSets()
{
    QFETCH(int, index);
    const Json& row = m_document["sets"][std::size_t(index)];
    std::vector<Sample> samples;
    for (std::size_t j = 0; j < row["groups"].size(); ++j) {
        samples.push_back({"arm " + std::to_string(j), values(row["groups"][j])});
        const auto& own = samples.back().values;
        QVERIFY2(near(*mean(own), row["mean"][j]), told("mean", *mean(own), row["mean"][j]));
        QVERIFY2(near(*sampleSd(own), row["sd"][j]), told("sd", *sampleSd(own), row["sd"][j]));
        QVERIFY2(near(*quantile(own, .1), row["q10"][j]), told("quantile", *quantile(own, .1), row["q10"][j]));
    }
    // Around 1e9 the double holds deviations to 1e−7 only, and SciPy sums in double.
    const double tolerance = row["kind"] == "large" ? 1e-6 : 1e-10;
    compare(levene(samples, Centre::Mean), row, "levene_mean", tolerance);
    compare(levene(samples, Centre::Median), row, "levene_median", tolerance);
    compare(leveneTrimmed(samples, .1), row, "levene_trimmed", tolerance);
    compare(flignerKilleen(samples), row, "fligner_median");
    compare(flignerKilleen(samples, Centre::Mean), row, "fligner_mean");
    compare(bartlett(samples), row, "bartlett", tolerance);
    compare(fRatioOneSided(samples[0], samples[1]), row, "f_one_sided", tolerance);
    compare(fRatioTwoSided(samples[0], samples[1]), row, "f_two_sided", tolerance);
    const TestResult t = welch(samples[0], samples[1]);
    compare(t, row, "welch", tolerance);
    if (t.p)
        QVERIFY2(near(t.df.at(0), row["welch_df"], tolerance), told("df", t.df[0], row["welch_df"]));
    compare(permutationSpread(samples[0], samples[1], SpreadStatistic::LogVarianceRatio), row, "permutation_ln", tolerance);
    compare(permutationSpread(samples[0], samples[1], SpreadStatistic::MeanAbsoluteDeviation), row, "permutation_mad", tolerance);

    const std::size_t n = std::min(samples[0].values.size(), samples[1].values.size());
    const std::span x(samples[0].values.data(), n);
    const std::span y(samples[1].values.data(), n);
    compare(wilcoxonSignedRank(x, y), row, "wilcoxon");
    compare(pairedPermutation(x, y), row, "paired_permutation", tolerance);
    compare(pitmanMorgan(x, y), row, "pitman_morgan", 1e-9);

    std::vector<std::vector<bool>> learned;
    for (const Sample& sample : samples) {
        std::vector<bool> outcomes;
        for (const double value : sample.values)
            outcomes.push_back(value >= .5);
        learned.push_back(outcomes);
    }
    const TwoShares shares{row["shares"][0], row["shares"][1], row["shares"][2], row["shares"][3]};
    const double fisher = *fisherExact(shares).p;
    QVERIFY2(near(fisher, row["fisher"]), told("fisher", fisher, row["fisher"]));
    const TestResult barnard = barnardExact(shares);
    QVERIFY2(near(*barnard.statistic, row["barnard"][0]), told("barnard statistic", *barnard.statistic, row["barnard"][0]));
    QVERIFY2(near(*barnard.p, row["barnard"][1]), told("barnard p", *barnard.p, row["barnard"][1]));
    learned[0].resize(n);
    const double mcnemar = *mcnemarExact(pairedCounts(learned[0], learned[1])).p;
    QVERIFY2(near(mcnemar, row["mcnemar"]), told("mcnemar", mcnemar, row["mcnemar"]));
    std::size_t shortest = n;
    for (const auto& outcomes : learned)
        shortest = std::min(shortest, outcomes.size());
    std::vector<std::vector<bool>> rows;
    for (std::size_t i = 0; i < shortest; ++i) {
        std::vector<bool> outcomes;
        for (const auto& arm : learned)
            outcomes.push_back(arm[i]);
        rows.push_back(outcomes);
    }
    compare(cochranQ(rows), row, "cochran");
}

void TstStatsFixtures::barnardLikeScipy()
{
    // SciPy loses ties by rounding in some sets and is then smaller; in the others both agree.
    int alike = 0;
    for (const Json& row : m_document["sets"]) {
        const double own = *barnardExact({row["shares"][0], row["shares"][1], row["shares"][2], row["shares"][3]}).p;
        const double scipy = row["barnard"][2];
        QVERIFY2(scipy <= own + 1e-10, told("barnard p", own, scipy));
        alike += near(own, scipy);
    }
    QVERIFY2(alike >= 150, QByteArray::number(alike));
}

void TstStatsFixtures::survival_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < int(m_document["survival"].size()); ++i)
        QTest::addRow("%d", i) << i;
}

void TstStatsFixtures::survival()
{
    QFETCH(int, index);
    const Json& row = m_document["survival"][std::size_t(index)];
    std::vector<DurationSample> samples;
    for (std::size_t j = 0; j < row["arms"].size(); ++j) {
        DurationSample sample{"arm " + std::to_string(j), {}};
        for (const Json& entry : row["arms"][j])
            sample.durations.push_back({entry[0], entry[1]});
        const Json& fit = row["fits"][j];
        const KaplanMeier km = kaplanMeier(sample.durations, fit["horizon"]);
        QCOMPARE(km.curve.size(), fit["points"].size());
        for (std::size_t i = 0; i < km.curve.size(); ++i) {
            const Json& point = fit["points"][i];
            QCOMPARE(km.curve[i].step, point[0].get<double>());
            QVERIFY2(near(km.curve[i].emerged, point[1]), told("emerged", km.curve[i].emerged, point[1]));
            QVERIFY2(near(km.curve[i].interval.lo, point[2]), told("lower end", km.curve[i].interval.lo, point[2]));
            QVERIFY2(near(km.curve[i].interval.hi, point[3]), told("upper end", km.curve[i].interval.hi, point[3]));
        }
        QCOMPARE(km.median.has_value(), !fit["median"].is_null());
        if (km.median)
            QCOMPARE(*km.median, fit["median"].get<double>());
        QVERIFY2(near(km.restrictedMean, fit["rmst"]), told("restricted mean", km.restrictedMean, fit["rmst"]));
        QVERIFY2(near(km.restrictedMeanError, fit["rmst_error"]), told("its error", km.restrictedMeanError, fit["rmst_error"]));
        samples.push_back(std::move(sample));
    }
    compare(logRank(samples), row, "log_rank");
    const TestResult there = logRank(samples);
    std::reverse(samples.begin(), samples.end());
    QCOMPARE(there.p, logRank(samples).p);
}

void TstStatsFixtures::bootstrapIntervals()
{
    for (const Json& row : m_document["bootstrap"]) {
        std::vector<std::vector<double>> samples;
        for (const Json& sample : row["samples"])
            samples.push_back(values(sample));
        const Statistic statistic = [](std::span<const std::vector<double>> s) { return s.size() == 1 ? *mean(s[0]) : *sampleSd(s[0]) / *sampleSd(s[1]); };
        std::vector<std::vector<double>> jackknife(samples.size());
        for (std::size_t j = 0; j < samples.size(); ++j)
            for (std::size_t i = 0; i < samples[j].size(); ++i) {
                auto without = samples;
                without[j].erase(without[j].begin() + std::ptrdiff_t(i));
                jackknife[j].push_back(statistic(without));
            }
        const auto replicates = values(row["replicates"]);
        const Interval percentile = percentileInterval(replicates, .95);
        QVERIFY2(near(percentile.lo, row["percentile"][0]) && near(percentile.hi, row["percentile"][1]), told("percentile", percentile.lo, row["percentile"][0]));
        const auto bca = bcaInterval(statistic(samples), replicates, jackknife, .95);
        QVERIFY(bca.has_value());
        QVERIFY2(near(bca->lo, row["BCa"][0]), told("BCa", bca->lo, row["BCa"][0]));
        QVERIFY2(near(bca->hi, row["BCa"][1]), told("BCa", bca->hi, row["BCa"][1]));

        // Own resamples of the same data: the ends agree within the noise of a few hundred resamples.
        const BootstrapResult own = bootstrap(samples, statistic);
        QVERIFY(own.percentile && own.bca);
        const double width = percentile.hi - percentile.lo;
        QVERIFY2(std::abs(own.percentile->lo - percentile.lo) < .35 * width, told("own percentile", own.percentile->lo, percentile.lo));
        QCOMPARE(bootstrap(samples, statistic).bca->hi, own.bca->hi);
    }
}

void TstStatsFixtures::lottery()
{
    for (const Json& row : m_document["lottery"]) {
        const auto own = values(row["values"]);
        const int k = row["k"];
        QVERIFY2(near(*expectedBestOf(own, k), row["expected"]), told("expected best", *expectedBestOf(own, k), row["expected"]));
        QVERIFY2(near(*bestOfReaches(own, k, .5), row["reaches"]), told("chance", *bestOfReaches(own, k, .5), row["reaches"]));
        if (row["expected_fresh"].is_null())
            continue;
        QVERIFY2(near(*expectedBestOfFresh(own, k), row["expected_fresh"]), told("expected best of fresh", *expectedBestOfFresh(own, k), row["expected_fresh"]));
        QVERIFY2(near(*bestOfReachesFresh(own, k, .5), row["reaches_fresh"]), told("chance of fresh", *bestOfReachesFresh(own, k, .5), row["reaches_fresh"]));
    }
    QVERIFY(!expectedBestOf(std::vector<double>{.1, .2}, 3) && !expectedBestOf(std::vector<double>{.1, .2}, 0) && !bestOfReaches(std::vector<double>{}, 1, .5));
}

void TstStatsFixtures::wilsonIntervals()
{
    for (const Json& row : m_document["wilson"]) {
        const Interval own = wilson(row[0], row[1]);
        QVERIFY2(near(own.lo, row[2]), told("lower end", own.lo, row[2]));
        QVERIFY2(near(own.hi, row[3]), told("upper end", own.hi, row[3]));
    }
}

void TstStatsFixtures::holmAdjustment()
{
    for (const Json& row : m_document["holm"]) {
        std::vector<std::optional<double>> p = {std::nullopt};
        for (const double value : values(row["p"]))
            p.emplace_back(value);
        const auto adjusted = holm(p);
        QVERIFY(!adjusted[0]);
        for (std::size_t i = 1; i < p.size(); ++i)
            QVERIFY2(near(*adjusted[i], row["adjusted"][i - 1]), told("Holm", *adjusted[i], row["adjusted"][i - 1]));
    }
}

QTEST_GUILESS_MAIN(TstStatsFixtures)
#include "tst_stats_fixtures.moc"
