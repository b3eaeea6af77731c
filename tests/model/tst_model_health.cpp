#include <QTest>
#include <cmath>

#include "core/base/random.h"
#include "core/model/run_health.h"

using namespace holo;
using model::StepRecord;
using model::Trouble;

namespace {

template <class Loss>
std::vector<StepRecord> series(int n, Loss loss, double noise = 0.05)
{
    RandomStream stream(1, "health", {});
    std::vector<StepRecord> steps;
    for (int i = 1; i <= n; ++i) {
        StepRecord s;
        s.step = i;
        s.t = 0.2 * i;
        s.active = 0.1 * i;
        s.loss = loss(i) + noise * (stream.uniform() - 0.5);
        steps.push_back(s);
    }
    return steps;
}

}  // namespace

class ModelHealth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void falling();
    void nonFiniteIsNamedByItsFirstStep();
    void divergingNamesTheLeast();
    void aSpikeIsNoDivergence();
    void flat();
    void aNewAttemptStartsAfresh();
    void remaining();
    void remainingNeedsTwoSteps();
};

void ModelHealth::falling()
{
    const auto steps = series(2000, [](int i) { return 2 + 3 * std::exp(-i / 800.0); });
    QCOMPARE(model::healthOf(steps).trouble, Trouble::None);
    QCOMPARE(model::healthOf({}).trouble, Trouble::None);
    QCOMPARE(model::healthOf(series(60, [](int i) { return i; })).trouble, Trouble::None);
}

void ModelHealth::nonFiniteIsNamedByItsFirstStep()
{
    for (const double bad : {NAN, INFINITY, -INFINITY}) {
        auto steps = series(300, [](int) { return 2.0; });
        steps[270].loss = bad;
        steps[280].loss = bad;
        QCOMPARE(model::healthOf(steps).trouble, Trouble::NonFinite);
        QCOMPARE(model::healthOf(steps).step, std::int64_t(271));
        steps = series(400, [](int i) { return 5 - 0.01 * i; });
        steps[100].loss = bad;  // long ago
        QCOMPARE(model::healthOf(steps).trouble, Trouble::None);
    }
}

void ModelHealth::divergingNamesTheLeast()
{
    const auto health = model::healthOf(series(1000, [](int i) { return i < 700 ? 4 - 0.003 * i : 1.9 + 0.004 * (i - 700); }));
    QCOMPARE(health.trouble, Trouble::Diverging);
    QVERIFY(health.step >= 600 && health.step <= 800);
    QVERIFY(std::abs(health.excess - 1.1) < 0.2);
}

void ModelHealth::aSpikeIsNoDivergence()
{
    auto steps = series(1000, [](int i) { return 4 - 0.002 * i; });
    steps[950].loss = 40;
    QCOMPARE(model::healthOf(steps).trouble, Trouble::None);
    steps = series(1000, [](int i) { return 4 - 0.002 * i; });
    steps[990].loss = 40;  // within the newest block: its own spread says that it is one step
    QCOMPARE(model::healthOf(steps).trouble, Trouble::None);
}

void ModelHealth::flat()
{
    const auto health = model::healthOf(series(2000, [](int i) { return i < 800 ? 5 - 0.003 * i : 2.6; }));
    QCOMPARE(health.trouble, Trouble::Flat);
    QCOMPARE(health.step, std::int64_t(1501));
    QCOMPARE(model::healthOf(series(2000, [](int i) { return 5 - 0.001 * i; })).trouble, Trouble::None);
}

void ModelHealth::aNewAttemptStartsAfresh()
{
    auto steps = series(1000, [](int i) { return 4 - 0.002 * i; });
    for (int i = 0; i < 200; ++i) {
        StepRecord s = steps[static_cast<std::size_t>(700 + i)];
        s.attempt = 2;
        s.loss = 9 - 0.01 * i;
        steps.push_back(s);
    }
    QCOMPARE(model::healthOf(steps).trouble, Trouble::None);
}

void ModelHealth::remaining()
{
    // A tenth of a second a step, and as much again beside the steps.
    const auto r = model::remainingTime(series(1000, [](int) { return 1.0; }), 3000);
    QVERIFY(std::abs(r.seconds - 2000 * 0.2) < 1e-6);
    QVERIFY(r.low <= r.seconds && r.seconds <= r.high);
    auto uneven = series(1000, [](int) { return 1.0; });
    for (std::size_t i = 900; i < uneven.size(); ++i)
        uneven[i].active += 0.1 * static_cast<double>(i - 899);
    const auto spread = model::remainingTime(uneven, 3000);
    QVERIFY(spread.high > 1.5 * spread.low);
}

void ModelHealth::remainingNeedsTwoSteps()
{
    QVERIFY(std::isnan(model::remainingTime({}, 10).seconds));
    QVERIFY(std::isnan(model::remainingTime(series(1, [](int) { return 1.0; }), 10).seconds));
    QVERIFY(std::isnan(model::remainingTime(series(10, [](int) { return 1.0; }), 10).seconds));
}

QTEST_APPLESS_MAIN(ModelHealth)
#include "tst_model_health.moc"
