#include <QtTest>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/ladder/holonomy.h"
#include "core/ladder/kernel.h"
#include "core/ladder/mean_score.h"
#include "core/ladder/plan_kernel.h"
#include "core/ladder/two_plane_toy.h"

using namespace holo;
using namespace holo::ladder;
using std::numbers::pi;

namespace {

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

Plan planOf(const char* scheme, int headDim, std::int64_t context, int heads = 1, int layers = 1)
{
    ModelShape shape;
    shape.headDim = shape.rotaryDim = headDim;
    shape.context = context;
    shape.heads = shape.kvHeads = heads;
    shape.layers = layers;
    return resolve(config::parseScheme(scheme), shape);
}

}  // namespace

class TestLadderAnalysis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every curve of a mixed plan against sums of cosines.
    void planKernelIsMadeOfSums()
    {
        const Plan plan = planOf("hybrid:share=0.25,special=mobius", 16, 64, 4, 2);
        const std::vector<std::int64_t> deltas{0, 1, 7, 32, 64, 100};
        const PlanKernel kernel = planKernel(plan, deltas);
        QCOMPARE(kernel.ladders.size(), std::size_t(2));
        QCOMPARE(kernel.layers.size(), std::size_t(2));
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            double mobius = 0;
            double standard = 0;
            for (int j = 0; j < 8; ++j) {
                mobius += std::cos(pi * (2 * j + 1) / 64 * double(deltas[i])) / 8;
                standard += std::cos(std::pow(10000.0, -2.0 * j / 16) * double(deltas[i])) / 8;
            }
            const bool first = plan.ladders[0].kind == Kind::Mobius;
            QVERIFY(near(kernel.ladders[first ? 0 : 1][i], mobius, 1e-12));
            QVERIFY(near(kernel.ladders[first ? 1 : 0][i], standard, 1e-12));
            QVERIFY(near(kernel.layers[1][i], .25 * mobius + .75 * standard, 1e-12));
            QVERIFY(near(kernel.mean[i], .25 * mobius + .75 * standard, 1e-12));
        }
        const auto byHeads = meanCosine(plan, deltas);
        for (std::size_t i = 0; i < deltas.size(); ++i)
            QVERIFY(near(kernel.mean[i], byHeads[i], 1e-12));
    }

    // Planes that turn less than once: Llama-2's sizes (arXiv 2412.17739, A.1), and base 1e4 at d = 64.
    void undertrainedPlanesOfKnownModels()
    {
        const Ladder llama = planOf("standard", 128, 4096).ladders[0];
        const auto planes = undertrainedPlanes(llama.theta, 4096);
        QCOMPARE(planes.front(), 46);
        QCOMPARE(planes.back(), 63);
        QCOMPARE(planes.size(), std::size_t(18));
        QVERIFY(near(4096 * llama.theta[45] / (2 * pi), 1.004, 5e-4));
        QVERIFY(near(4096 * llama.theta[46] / (2 * pi), .869, 5e-4));
        QCOMPARE(undertrainedPlanes(planOf("standard", 64, 512).ladders[0].theta, 512).size(), std::size_t(16));
        QCOMPARE(undertrainedPlanes(planOf("standard", 64, 2048).ladders[0].theta, 2048).size(), std::size_t(11));
    }

    // μ²·2·Σ cos θΔ; one score has variance d·(1 + 2μ²) whatever the distance.
    void meanScoresOfRandomVectors()
    {
        const Ladder ladder = planOf("mobius", 64, 2048).ladders[0];
        const std::vector<std::int64_t> deltas{0, 16, 32, 2048};
        const double expected[] = {64, 40.747776, 0, -64};
        constexpr int kSamples = 4000;
        for (const double mu : {0.0, .1, 1.0}) {
            const auto scores = expectedScore(ladder, deltas, mu);
            const auto sampled = sampledScore(ladder, deltas, mu, kSamples, 3);
            const double error = std::sqrt(64 * (1 + 2 * mu * mu) / kSamples);
            double spread = 0;
            for (std::size_t i = 0; i < deltas.size(); ++i) {
                QVERIFY(near(scores[i], mu * mu * expected[i], 5e-5));
                QVERIFY(near(sampled[i], scores[i], 4.5 * error));
                spread = std::max(spread, std::abs(sampled[i] - scores[i]));
            }
            QVERIFY(spread > error / 100);  // it was sampled
        }
    }

    void aToyThatPassesThroughKeepsItsFrequencies()
    {
        ToySettings settings;
        settings.activation = "none";
        settings.mix = 0;
        const TwoPlaneToy toy = twoPlaneToy(settings);
        for (const ToyPlane& plane : toy.planes) {
            QVERIFY(near(plane.power, 1, 1e-12));
            QVERIFY(near(plane.own, 1, 1e-9));
            QVERIFY(plane.other < 1e-9 && plane.still < 1e-9 && plane.elsewhere < 1e-9);
        }
        for (std::size_t delta = 0; delta < toy.matched.size(); ++delta)
            QVERIFY(near(toy.matched[delta], std::cos(double(delta)) + std::cos(.1 * double(delta)), 1e-9));
        QCOMPARE(toy.curves[0].name, std::string("rope"));
        QVERIFY(toy.curves[0].error < 1e-9 && toy.curves[2].error < 1e-9);
        QVERIFY(toy.curves[1].error > .01);  // drawn coefficients
    }

    // relu(cos x) + i·relu(sin x): mean square ½, |amplitude|² ¼ at ω and 2/π² at 0, nothing at −ω.
    void theActivationAloneMakesHarmonics()
    {
        ToySettings settings;
        settings.mix = 0;
        settings.length = 4096;
        for (const ToyPlane& plane : twoPlaneToy(settings).planes) {
            QVERIFY(near(plane.power, .5, 2e-3));
            QVERIFY(near(plane.own, .5, 5e-3));
            QVERIFY(near(plane.still, 4 / (pi * pi), 5e-3));
            QVERIFY(plane.other < 1e-3);
            QVERIFY(near(plane.elsewhere, .5 - 4 / (pi * pi), 5e-3));
        }
    }

    void theLinearLayerAloneMixesWithoutHarmonics()
    {
        ToySettings settings;
        settings.activation = "none";
        for (settings.seed = 1; settings.seed < 6; ++settings.seed) {
            const TwoPlaneToy toy = twoPlaneToy(settings);
            for (const ToyPlane& plane : toy.planes) {
                QVERIFY(plane.elsewhere < 1e-9);
                QVERIFY(plane.other > .001);
            }
            QVERIFY(toy.curves[0].error > .05);  // RoPE knows one frequency a plane, the series both
            QVERIFY(toy.curves[2].error < .05);
        }
    }

    void refusals_data()
    {
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("second");
        QTest::addColumn<int>("length");
        QTest::addColumn<QString>("activation");
        QTest::newRow("zero") << 0. << .1 << 512 << "relu";
        QTest::newRow("fast") << 4. << .1 << 512 << "relu";
        QTest::newRow("nan") << std::nan("") << .1 << 512 << "relu";
        QTest::newRow("equal") << .1 << .1 << 512 << "relu";
        QTest::newRow("short") << 1. << .1 << 8 << "relu";
        QTest::newRow("long") << 1. << .1 << (1 << 20) << "relu";
        QTest::newRow("activation") << 1. << .1 << 512 << "swoosh";
    }

    void refusals()
    {
        QFETCH(double, first);
        QFETCH(double, second);
        QFETCH(int, length);
        QFETCH(QString, activation);
        ToySettings settings;
        settings.omegas = {first, second};
        settings.length = length;
        settings.activation = activation.toStdString();
        try {
            twoPlaneToy(settings);
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(exitCode(e.kind()), 2);
        }
    }
};

QTEST_GUILESS_MAIN(TestLadderAnalysis)
#include "tst_ladder_analysis.moc"
