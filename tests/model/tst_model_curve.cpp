#include <QTest>
#include <cmath>

#include "core/model/curve.h"
#include "core/model/min_max_pyramid.h"
#include "core/model/run_events.h"

using namespace holo;

class ModelCurve : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spikesSurviveEveryZoom();
    void exactWhereThereIsRoom();
    void gapsStayGaps();
    void positiveOnlyMasks();
    void rangeNeedsNoFiniteEnds();
    void orphansAreToldApart();
    void bandUsesSharedStepsOnly();
    void smoothingKeepsGaps();
};

void ModelCurve::spikesSurviveEveryZoom()
{
    model::MinMaxPyramid pyramid;
    const int n = 300000;
    const int up = 123457;
    const int down = 222221;
    for (int i = 0; i < n; ++i)
        pyramid.append(i, i == up ? 1000 : i == down ? -1000 : std::sin(i * 0.01));
    for (const int columns : {50, 300, 1000, 4000})
        for (const double width : {300000.0, 150000.0, 60000.0, 5000.0})
            for (const int spike : {up, down}) {
                const auto view = pyramid.view(spike - width / 2, spike + width / 2, columns);
                const bool seen = std::any_of(view.curve.y.begin(), view.curve.y.end(), [&](double y) { return y == (spike == up ? 1000.0 : -1000.0); });
                QVERIFY2(seen, qPrintable(QStringLiteral("columns %1 width %2").arg(columns).arg(width)));
                QVERIFY(view.curve.size() <= std::size_t(columns) * 40 + 64);
                QVERIFY(std::is_sorted(view.curve.x.begin(), view.curve.x.end()));
            }
}

void ModelCurve::exactWhereThereIsRoom()
{
    model::MinMaxPyramid pyramid;
    for (int i = 0; i < 10000; ++i)
        pyramid.append(i, (i * 7919) % 1009);
    const auto view = pyramid.view(5000, 5100, 200);
    QVERIFY(!view.thinned);
    QCOMPARE(view.points, std::size_t(101));
    for (std::size_t i = 0; i < view.curve.size(); ++i)
        QCOMPARE(view.curve.y[i], double((int(view.curve.x[i]) * 7919) % 1009));
}

void ModelCurve::gapsStayGaps()
{
    model::MinMaxPyramid pyramid;
    for (int i = 0; i < 100000; ++i)
        pyramid.append(i, i >= 40000 && i < 60000 ? NAN : 1.0);
    QCOMPARE(pyramid.maskedCount(false), std::size_t(20000));
    const auto view = pyramid.view(0, 100000, 200);
    bool gap = false;
    for (std::size_t i = 0; i < view.curve.size(); ++i) {
        if (view.curve.x[i] > 41000 && view.curve.x[i] < 59000)
            QVERIFY(std::isnan(view.curve.y[i]));
        gap = gap || std::isnan(view.curve.y[i]);
    }
    QVERIFY(gap);
}

void ModelCurve::positiveOnlyMasks()
{
    model::MinMaxPyramid pyramid;
    const std::vector<double> values = {0, -1, NAN, INFINITY, 1e-300, 1e300};
    for (std::size_t i = 0; i < values.size(); ++i)
        pyramid.append(static_cast<double>(i), values[i]);
    QCOMPARE(pyramid.maskedCount(true), std::size_t(4));
    QCOMPARE(pyramid.maskedCount(false), std::size_t(2));
    double low = 0;
    double high = 0;
    QVERIFY(pyramid.range(true, low, high));
    QCOMPARE(low, 1e-300);
    QCOMPARE(high, 1e300);
    QCOMPARE(pyramid.maskedX(true).size(), std::size_t(4));
}

void ModelCurve::rangeNeedsNoFiniteEnds()
{
    model::MinMaxPyramid pyramid;
    double low = 0;
    double high = 0;
    QVERIFY(!pyramid.range(false, low, high));
    pyramid.append(0, NAN);
    QVERIFY(!pyramid.range(false, low, high));
    pyramid.append(1, 5);
    QVERIFY(pyramid.range(false, low, high));
    QCOMPARE(low, 5.0);
    QCOMPARE(high, 5.0);
}

void ModelCurve::orphansAreToldApart()
{
    std::vector<model::StepRecord> steps;
    const auto add = [&](int attempt, int step, double loss) {
        model::StepRecord s;
        s.attempt = attempt;
        s.step = step;
        s.loss = loss;
        steps.push_back(s);
    };
    for (int step = 1; step <= 9; ++step)
        add(1, step, 1);
    for (int step = 6; step <= 7; ++step)
        add(2, step, 2);
    add(3, 7, 3);
    const auto b = model::branches(steps);
    QCOMPARE(b.live.size(), std::size_t(7));
    QCOMPARE(b.live[4].loss, 1.0);
    QCOMPARE(b.live[5].loss, 2.0);
    QCOMPARE(b.live[6].loss, 3.0);
    QCOMPARE(b.orphans.size(), std::size_t(5));
}

void ModelCurve::bandUsesSharedStepsOnly()
{
    const model::Curve a{{1, 2, 3, 4}, {1, 2, 3, 4}};
    const model::Curve b{{2, 3, 5}, {4, NAN, 9}};
    const auto band = model::bandOf({&a, &b});
    QCOMPARE(band.x, (std::vector<double>{2}));
    QCOMPARE(band.mean[0], 3.0);
    QCOMPARE(band.low[0], 2.0);
    QCOMPARE(band.high[0], 4.0);
}

void ModelCurve::smoothingKeepsGaps()
{
    const model::Curve curve{{0, 1, 2, 3}, {2, 2, NAN, 2}};
    const auto s = model::smoothed(curve, 0.9);
    QCOMPARE(s.y[0], 2.0);  // bias-corrected: a constant stays itself from the first point on
    QVERIFY(std::isnan(s.y[2]));
    QVERIFY(std::abs(s.y[3] - 2) < 1e-12);
}

QTEST_GUILESS_MAIN(ModelCurve)
#include "tst_model_curve.moc"
