#include <QtTest>

#include <numbers>

#include "core/ladder/closed_forms.h"
#include "core/ladder/description.h"
#include "core/ladder/frequencies.h"
#include "core/ladder/kernel.h"
#include "core/ladder/ladder_builder.h"
#include "core/ladder/mean_score.h"
#include "core/ladder/spectrum.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;
using std::numbers::pi;

namespace {

Ladder paper(Kind kind, std::map<std::string, Value> parameters = {}) { return only({kind, std::move(parameters), {}}, shapeOf(64, 2048)); }

double plainSum(const Ladder& ladder, std::int64_t delta)
{
    long double sum = 0;
    for (const double theta : ladder.theta)
        sum += std::cos(static_cast<long double>(theta) * delta);
    return double(sum / static_cast<long double>(ladder.theta.size()));
}

}  // namespace

class TestKernel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void closedFormsEqualTheSum()
    {
        for (const auto& [planes, context] : {std::pair{32, 2048}, {32, 512}, {8, 2048}, {32, 64}, {32, 48}, {32, 32}, {5, 33}}) {
            const ModelShape shape = shapeOf(2 * planes, context);
            const std::map<std::string, Value> allow = {{"aliases", "allow"}};
            const Ladder mobius = only({Kind::Mobius, allow, {}}, shape);
            const Ladder a = only({Kind::Periodic, allow, {}}, shape);
            const Ladder b = only({Kind::Periodic, {{"variant", "B"}, {"aliases", "allow"}}, {}}, shape);
            for (std::int64_t delta = -4 * context; delta <= 4 * context; delta += context > 1000 ? 7 : 1) {
                QVERIFY(near(mobiusMeanCosine(delta, context, planes), plainSum(mobius, delta), 1e-12));
                QVERIFY(near(periodicMeanCosine(delta, context, planes, false), plainSum(a, delta), 1e-12));
                QVERIFY(near(periodicMeanCosine(delta, context, planes, true), plainSum(b, delta), 1e-12));
            }
            for (const double phi : {0.0, pi / 2, pi, 3 * pi / 2, 2 * pi, 1.234}) {
                const Ladder twisted = only({Kind::Twisted, {{"phi", phi}, {"aliases", "allow"}}, {}}, shape);
                QCOMPARE(twisted.exact.has_value(), phi != 1.234);
                for (std::int64_t delta = 0; delta <= 2 * context; delta += context > 1000 ? 7 : 1) {
                    QVERIFY(near(twistedMeanCosine(delta, context, planes, phi), plainSum(twisted, delta), 1e-12));
                    QVERIFY(near(meanCosine(twisted, delta), plainSum(twisted, delta), 1e-12));
                }
            }
        }
    }

    void mobiusWorkedNumbers()
    {
        const Ladder ladder = paper(Kind::Mobius);
        const std::map<std::int64_t, double> values = {{0, 1}, {1, .998395}, {2, .993588}, {4, .974501}, {8, .900339}, {16, .636684}, {24, .300173}, {32, 0}, {2048, -1}, {4096, 1}};
        for (const auto& [delta, c] : values)
            QVERIFY(near(meanCosine(ladder, delta), c, 6e-7));
        double squares = 0;
        double lowest = 0;
        std::int64_t at = 0;
        for (std::int64_t delta = 0; delta < 2048; ++delta) {
            const double c = meanCosine(ladder, delta);
            squares += c * c;
            QVERIFY(near(meanCosine(ladder, 2048 - delta), -c, 1e-14));
            QVERIFY(near(meanCosine(ladder, delta + 2048), -c, 1e-14));
            QVERIFY(near(meanCosine(ladder, -delta), c, 1e-14));
            if (delta > 0 && delta % 32 == 0)
                QCOMPARE(c, 0.0);
            QCOMPARE(c < -.5, delta >= 2029);
            if (delta < 1024 && c < lowest) {
                lowest = c;
                at = delta;
            }
        }
        QVERIFY(near(squares * 32 * 32, 32768, 1e-6));
        QVERIFY(near(lowest, -.217, 6e-4));
        QCOMPARE(at, std::int64_t(46));
        const Ladder small = only({Kind::Mobius, {}, {}}, shapeOf(8, 64));
        const std::map<std::int64_t, double> smallValues = {{1, .974887}, {2, .901764}, {4, .640729}, {8, 0}, {12, -.224994}, {16, 0}, {32, 0}, {60, -.640729}, {63, -.974887}, {64, -1}, {128, 1}};
        for (const auto& [delta, c] : smallValues)
            QVERIFY(near(meanCosine(small, delta), c, 6e-7));
        const Ladder a = only({Kind::Periodic, {}, {}}, shapeOf(8, 64));
        for (const auto& [delta, c] : std::map<std::int64_t, double>{{4, .503417}, {8, -.25}, {12, -.312076}, {60, .503417}, {64, 1}})
            QVERIFY(near(meanCosine(a, delta), c, 6e-7));
        const Ladder b = only({Kind::Periodic, {{"variant", "B"}}, {}}, shapeOf(8, 64));
        for (const auto& [delta, c] : std::map<std::int64_t, double>{{4, .753417}, {8, .25}, {12, -.062076}, {60, .753417}})
            QVERIFY(near(meanCosine(b, delta), c, 6e-7));
        const Ladder c1 = only({Kind::Band, {{"variant", "C1"}}, {}}, shapeOf(8, 64));
        const double c1Theta[] = {.04908739, .09390079, .17962575, .34361170};
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(near(c1.theta[i], c1Theta[i], 6e-9));
        QVERIFY(near(meanCosine(c1, 64), -.139334, 6e-7));
    }

    void kernelFiguresOfTheArms()
    {
        const struct {
            Kind kind;
            std::map<std::string, Value> parameters;
            double atContext;
            std::int64_t halfWidth;
            double firstZero, rms, max, meanTheta;
        } arms[] = {
            {Kind::Mobius, {}, -1, 20, 32, .0125, .0216, .049087},
            {Kind::Periodic, {}, 1, 19, 31.03, .0198, .0365, .050621},
            {Kind::Periodic, {{"variant", "B"}}, 1, 20, 33.03, .0202, .0369, .047553},
            {Kind::Band, {{"variant", "C1"}}, -.105, 40, 403.21, .117, .272, .023805},
            {Kind::Band, {}, -.046, 20, 32.13, .101, .264, .0490},
            {Kind::Standard, {}, -.040, 28, 724.09, .199, .414, -1},
        };
        for (const auto& arm : arms) {
            const Ladder ladder = paper(arm.kind, arm.parameters);
            const KernelSummary summary = kernelSummary(ladder);
            QVERIFY(near(summary.atContext, arm.atContext, 6e-4));
            QCOMPARE(*summary.halfWidth, arm.halfWidth);
            QVERIFY(near(*summary.firstZero, arm.firstZero, 6e-3));
            QVERIFY(near(summary.bulkRms, arm.rms, arm.rms > .1 ? 6e-4 : 6e-5));
            QVERIFY(near(summary.bulkMax, arm.max, arm.max > .1 ? 6e-4 : 6e-5));
            double mean = 0;
            for (const double theta : ladder.theta)
                mean += theta / 32;
            if (arm.meanTheta > 0)
                QVERIFY(near(mean, arm.meanTheta, arm.kind == Kind::Band ? 1e-4 : 6e-7));
        }
        QCOMPARE(*kernelSummary(paper(Kind::Mobius)).firstZero, 32.0);
        QCOMPARE(*kernelSummary(paper(Kind::Band, {{"variant", "C1"}})).firstNonPositive, std::int64_t(404));
        QCOMPARE(*kernelSummary(paper(Kind::Standard)).firstNonPositive, std::int64_t(725));
        QVERIFY(near(meanCosine(paper(Kind::Standard), 512), .185, 6e-4));
        QVERIFY(near(meanCosine(paper(Kind::Standard), 1024), .263, 6e-4));
        QVERIFY(!kernelSummary(paper(Kind::Nope)).firstZero);
    }

    void twistedSweepHasTheQuietestKernelAtPi()
    {
        const double mobius = kernelSummary(paper(Kind::Twisted, {{"phi", pi}})).bulkMax;
        QVERIFY(near(mobius, .0216, 6e-5));
        for (const double phi : {0.0, pi / 2, 3 * pi / 2, 2 * pi}) {
            const KernelSummary summary = kernelSummary(paper(Kind::Twisted, {{"phi", phi}}));
            QVERIFY(summary.bulkMax > .0364 && summary.bulkMax < .0407);
            QVERIFY(summary.bulkRms > .0175 && summary.bulkRms < .0203);
        }
    }

    void aliasedCharacters()
    {
        const Ladder ladder = only({Kind::Mobius, {{"aliases", "allow"}}, {}}, shapeOf(64, 48));
        QCOMPARE(distinctCharacters(*ladder.exact), 24);
        double largest = 0;
        for (std::int64_t delta = 1; delta < 48; ++delta)
            largest = std::max(largest, std::abs(meanCosine(ladder, delta)));
        QVERIFY(near(largest, .207, 6e-4));
        for (const int context : {64, 32}) {
            const Ladder full = only({Kind::Mobius, {{"aliases", "allow"}}, {}}, shapeOf(64, context));
            for (std::int64_t delta = 1; delta < context; ++delta)
                QCOMPARE(meanCosine(full, delta), 0.0);
        }
    }

    void jitterOfTheAperiodicControl()
    {
        const double small[] = {.171573, .313708, .455844, -.254834};
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(near(bandJitter(4)[i], small[i], 6e-7));
        const auto u = bandJitter(32);
        const double head[] = {.171573, .313708, .455844, .254834, -.289322, .823376, -.407071, .019336};
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(near(u[i], head[i], 6e-7));
        QVERIFY(near(u[30], -.881533, 6e-7));
        QVERIFY(near(u[31], -.690624, 6e-7));
        const Holonomy c2 = holonomy(paper(Kind::Band));
        QVERIFY(near(c2.absMean, .08, 6e-3));
        QVERIFY(near(holonomy(paper(Kind::Band, {{"variant", "C1"}})).absMean, .14, 6e-3));
    }

    void holonomyIsExact()
    {
        for (const auto& [kind, sign, boundary] : {std::tuple{Kind::Mobius, -1.0, Boundary::AntiPeriodic}, {Kind::Periodic, 1.0, Boundary::Periodic}, {Kind::Snapped, -1.0, Boundary::AntiPeriodic}}) {
            const Holonomy h = holonomy(paper(kind));
            QCOMPARE(h.boundary, boundary);
            for (const auto& plane : h.planes) {
                QCOMPARE(plane.real(), sign);
                QCOMPARE(plane.imag(), 0.0);
            }
            QCOMPARE(h.absMean, 1.0);
        }
        const Holonomy quarter = holonomy(paper(Kind::Twisted, {{"phi", pi / 2}}));
        QCOMPARE(quarter.boundary, Boundary::Coherent);
        QCOMPARE(quarter.planes[5], std::complex<double>(0, 1));
        QCOMPARE(holonomy(paper(Kind::Standard)).boundary, Boundary::Mixed);
    }

    void undertrainedCounts()
    {
        const auto count = [](double base, int width, std::int64_t context) { return undertrainedPlanes(geometricThetas(base, width, width / 2), context); };
        QCOMPARE(count(1e4, 64, 512).size(), std::size_t(16));
        QCOMPARE(count(1e4, 64, 2048).size(), std::size_t(11));
        QCOMPARE(count(1e4, 128, 4096).front(), 46);
        QVERIFY(near(turns(geometricThetas(1e4, 128, 64), 4096)[45], 1.004, 6e-4));
        const Ladder mobius = paper(Kind::Mobius);
        QCOMPARE(undertrainedPlanes(mobius.theta, 2048), std::vector<int>{0});
        const TurnHistogram histogram = turnHistogram(mobius.theta, 2048);
        QCOMPARE(histogram.firstOctave, -1);
        QCOMPARE(histogram.counts, (std::vector<int>{1, 1, 2, 4, 8, 16}));
        QCOMPARE(turnHistogram(paper(Kind::Nope).theta, 2048).still, 32);
    }

    void tablesAgreeWithTheKernel()
    {
        const Ladder ladder = paper(Kind::Mobius);
        const PhaseTable table = phaseTable(ladder, 4 * 2048 + 1);
        double worst = 0;
        for (std::size_t delta = 0; delta <= 4 * 2048; ++delta) {
            double sum = 0;
            for (std::size_t j = 0; j < 32; ++j)
                sum += table.cos[delta * 32 + j];
            worst = std::max(worst, std::abs(sum - 32 * meanCosine(ladder, std::int64_t(delta))));
        }
        QVERIFY(worst < 1e-6);
    }

    void planKernelIsTheMeanOverHeads()
    {
        const Plan plan = resolve({Kind::Hybrid, {}, {}}, shapeOf(64, 2048));
        const auto deltas = distances(0, 100, 10);
        const auto mean = meanCosine(plan, deltas);
        const auto special = meanCosine(paper(Kind::Mobius), deltas);
        const auto rest = meanCosine(paper(Kind::Standard), deltas);
        for (std::size_t i = 0; i < deltas.size(); ++i)
            QVERIFY(near(mean[i], (special[i] + 3 * rest[i]) / 4, 1e-14));
    }

    void kernelsThatDependOnMoreThanTheDistance()
    {
        ModelShape shape = shapeOf(16, 64);
        shape.layers = 4;
        const Plan plan = resolve({Kind::PeriodicRope, {{"window", 16.0}}, {}}, shape);
        const Ladder& wrapped = plan.ladders.front();
        const std::vector<double> thetas = geometricThetas(1e4, 16, 8);
        for (const std::int64_t delta : {0, 3, 16, 21}) {
            double mean = 0;
            for (std::int64_t n = 0; n < 16; ++n)
                for (const double theta : thetas)
                    mean += std::cos(double((n + delta) % 16 - n) * theta) / (16 * 8);
            QVERIFY(near(meanCosine(wrapped, delta), mean, 1e-12));
        }
        const Ladder series = only({Kind::Fope, {{"cos", Matrix{{1, 0}, {0, 1}}}, {"sin", Matrix{{1, 0}, {0, 1}}}, {"pad", "pass"}}, {}}, shapeOf(8, 64));
        for (const std::int64_t delta : {0, 5, 40, 100})
            QVERIFY(near(meanCosine(series, delta), (std::cos(double(delta)) + std::cos(.1 * double(delta)) + 2) / 4, 1e-6));
    }

    void longContextsAreSampled()
    {
        const std::int64_t context = std::int64_t(1) << 26;
        for (const Kind kind : {Kind::Mobius, Kind::Standard, Kind::Nope, Kind::Fope}) {
            ModelShape shape = shapeOf(16, context);
            shape.layers = shape.heads = shape.kvHeads = 1;
            const KernelSummary summary = kernelSummary(only({kind, {}, {}}, shape));
            QVERIFY(std::isfinite(summary.bulkRms));
            if (kind == Kind::Mobius)
                QCOMPARE(summary.atContext, -1.0);
        }
    }

    void meanScores()
    {
        const Ladder ladder = paper(Kind::Standard);
        const auto deltas = distances(0, 512, 64);
        for (const double mu : {0.0, .1, 1.0}) {
            const auto expected = expectedScore(ladder, deltas, mu);
            const auto sampled = sampledScore(ladder, deltas, mu, 4000, 7);
            QVERIFY(near(expected[0], mu * mu * 64, 1e-12));
            for (std::size_t i = 0; i < deltas.size(); ++i)
                QVERIFY(near(sampled[i], expected[i], 5 * std::sqrt(64 * (1 + 2 * mu * mu) / 4000)));
        }
        QVERIFY(sampledScore(ladder, deltas, .1, 10, 7) == sampledScore(ladder, deltas, .1, 10, 7));
        QVERIFY(sampledScore(ladder, deltas, .1, 10, 7) != sampledScore(ladder, deltas, .1, 10, 8));
    }

    void spectraFindTheirLines()
    {
        const std::int64_t length = 512;
        const double whole = 2 * pi * 20 / double(length);
        std::vector<double> values, positions;
        for (std::int64_t n = 0; n < length; ++n) {
            positions.push_back(double(n));
            values.push_back(3 * std::cos(whole * double(n)));
        }
        QVERIFY(near(std::abs(amplitude(values, positions, whole)), 1.5, 1e-9));
        QVERIFY(near(std::abs(amplitude(values, positions, 2 * pi * 40 / double(length))), 0, 1e-9));
        const Spectrum spectrum = denseSpectrum(values, positions, 0, .5, 2001);
        const double theta[] = {whole};
        const double elsewhere[] = {whole + .1};
        QVERIFY(leakage(spectrum, theta, 2 * pi / double(length)) < .11);
        QVERIFY(leakage(spectrum, elsewhere, 2 * pi / double(length)) > .99);
        QCOMPARE(truncationResponse(whole, whole, length), 1.0);
        QVERIFY(near(truncationResponse(whole, 2 * pi * 21 / double(length), length), 0, 1e-12));
        QVERIFY(near(truncationResponse(whole, whole + pi / double(length), length), 2 / pi, 1e-4));
    }
};

QTEST_GUILESS_MAIN(TestKernel)
#include "tst_ladder_kernel.moc"
