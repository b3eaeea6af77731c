#include <QtTest>

#include <numbers>

#include "core/base/json.h"
#include "core/ladder/alibi.h"
#include "core/ladder/description.h"
#include "core/ladder/frequencies.h"
#include "core/ladder/kernel.h"
#include "core/ladder/length_scaling.h"
#include "tests/ladder/ladder_cases.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

std::vector<double> thetaOf(const Scheme& scheme, const ModelShape& shape) { return only(scheme, shape).theta; }

Value valueOf(const Json& json)
{
    if (json.is_array())
        return json.get<std::vector<double>>();
    if (json.is_string())
        return json.get<std::string>();
    return json.get<double>();
}

}  // namespace

class TestSchemes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTransformers()
    {
        const Json fixture = readJsonFile(std::filesystem::path(HOLO_SOURCE_DIR) / "tests/ladder/fixtures/transformers.json");
        QVERIFY(fixture["cases"].size() > 100);
        for (const Json& c : fixture["cases"]) {
            const std::string type = c["type"];
            Scheme scheme{type == "dynamic" ? Kind::DynamicNtk : type == "yarn" ? Kind::Yarn : type == "longrope" ? Kind::LongRope : type == "llama3" ? Kind::Llama3 : Kind::Linear, {}, {}};
            for (const auto& [key, value] : c["scheme"].items())
                scheme.parameters[key] = valueOf(value);
            ModelShape shape = shapeOf(c["width"], c["context"]);
            shape.base = c["base"];
            const Ladder ladder = only(scheme, shape);
            const auto expected = c["theta"].get<std::vector<double>>();
            const auto theta = thetaAtLength(ladder, c["length"]);
            QCOMPARE(theta.size(), expected.size());
            for (std::size_t j = 0; j < theta.size(); ++j)
                QVERIFY2(std::abs(theta[j] - expected[j]) <= 1e-13 * expected[j], (type + " plane " + std::to_string(j)).c_str());
            QVERIFY(near(ladder.tableScale, c["factor"].get<double>(), 1e-13));
        }
    }

    void partialRotaryDividesByTheRotatedWidth()
    {
        ModelShape shape = shapeOf(64, 2048);
        shape.rotaryDim = 16;
        const auto theta = thetaOf({Kind::Standard, {}, {}}, shape);
        const double expected[] = {1, .316227766, .1, .0316227766, .01, .00316227766, .001, .000316227766};
        QCOMPARE(theta.size(), std::size_t(8));
        for (std::size_t j = 0; j < 8; ++j)
            QVERIFY(near(theta[j], expected[j], 1e-9 * expected[j]));
        const auto lambda = periods(theta);
        QVERIFY(near(lambda[0], 6.283185, 1e-6));
        QVERIFY(near(lambda[7], 19869.18, .01));
    }

    void ntkBases()
    {
        QVERIFY(near(ntkBase(1e4, 64, 2), 20452.2287, 5e-5));
        QVERIFY(near(ntkBase(1e4, 64, 4), 41829.3659, 5e-5));
        QVERIFY(near(ntkBase(1e4, 64, 8), 85550.3759, 5e-5));
        const auto theta = thetaOf({Kind::Ntk, {{"factor", 4.0}}, {}}, shapeOf(64, 512));
        QCOMPARE(theta.front(), 1.0);
        QVERIFY(near(theta.back(), std::pow(1e4, -62.0 / 64) / 4, 1e-15));
    }

    void dynamicNtkFollowsTheLengthAlone()
    {
        QVERIFY(near(dynamicNtkBase(1e4, 64, 1, 512, 1024), 20452.23, .005));
        QVERIFY(near(dynamicNtkBase(1e4, 64, 2, 512, 1024), 31082.24, .005));
        const Ladder ladder = only({Kind::DynamicNtk, {{"factor", 4.0}, {"original", 256.0}}, {}}, shapeOf(32, 256));
        const std::pair<std::int64_t, double> cases[] = {{128, 10000}, {256, 10000}, {257, 10166.753053}, {384, 32279.688742}, {768, 104197.830526}};
        const PhaseTable before = phaseTable(ladder, 128);
        for (const auto& [length, base] : cases) {
            QVERIFY(near(effectiveBase(ladder, length), base, 1e-6));
            QVERIFY(near(thetaAtLength(ladder, length)[1], std::pow(base, -2.0 / 32), 1e-11));
            phaseTable(ladder, length);
        }
        QVERIFY(phaseTable(ladder, 128).cos == before.cos);
        QVERIFY(phaseTable(ladder, 129).sin != phaseTable(ladder, 257).sin);
    }

    void yarnRampsAndFactors()
    {
        QVERIFY(near(planeOfRotations(32, 64, 1e4, 512), 3.2475, 5e-5));
        QVERIFY(near(planeOfRotations(1, 64, 1e4, 512), 15.2887, 5e-5));
        QVERIFY(near(planeOfRotations(32, 128, 1e4, 4096), 20.9445, 5e-5));
        const struct {
            int width;
            std::int64_t context;
            double factor;
            double low, high;
            int plane;
            double index, turn;
        } cases[] = {{64, 512, 4, 3, 16, 9, .04903154, .02801947},
                     {64, 2048, 4, 8, 21, 14, .01162721, .00650920},
                     {16, 2048, 4, 2, 6, 4, .00625, .00304665},
                     {128, 4096, 16, 20, 46, 33, .00460044, .00175774}};
        for (const auto& c : cases) {
            const YarnRamp ramp = yarnIndexRamp(32, 1, c.width, 1e4, c.context, true);
            QCOMPARE(ramp.low, c.low);
            QCOMPARE(ramp.high, c.high);
            QVERIFY(near(thetaOf({Kind::Yarn, {{"factor", c.factor}}, {}}, shapeOf(c.width, c.context))[std::size_t(c.plane)], c.index, 6e-9));
            QVERIFY(near(thetaOf({Kind::Yarn, {{"factor", c.factor}, {"ramp", "turn"}}, {}}, shapeOf(c.width, c.context))[std::size_t(c.plane)], c.turn, 6e-9));
        }
        const auto theta = thetaOf({Kind::Yarn, {{"factor", 4.0}}, {}}, shapeOf(64, 512));
        QVERIFY(near(theta[8], .0711538462, 5e-11));
        QVERIFY(near(theta[16], .0025, 1e-12));
        QVERIFY(near(theta[31], 3.33380358e-5, 5e-14));
        const std::pair<double, double> factors[] = {{.5, 1}, {1, 1}, {2, 1.0693147181}, {4, 1.1386294361}, {8, 1.2079441542}, {16, 1.2772588722}};
        for (const auto& [s, expected] : factors)
            QVERIFY(near(yarnAttentionFactor(s), expected, 6e-11));
    }

    void yarnAttentionFactorRule()
    {
        const ModelShape shape = shapeOf(64, 512);
        const auto scale = [&](std::map<std::string, Value> more) {
            more["factor"] = 4.0;
            return only({Kind::Yarn, more, {}}, shape).tableScale;
        };
        QVERIFY(near(scale({}), 1.1386294361, 6e-11));
        QCOMPARE(scale({{"attention_factor", 1.5}}), 1.5);
        QCOMPARE(scale({{"attention_factor", 1.5}, {"mscale", 1.0}, {"mscale_all_dim", .5}}), 1.5);
        QCOMPARE(scale({{"mscale", 1.0}, {"mscale_all_dim", 1.0}}), 1.0);
        QVERIFY(near(scale({{"mscale", .7}}), 1.1386294361, 6e-11));
        const LadderDescription d = describe(only({Kind::Yarn, {{"factor", 4.0}}, {}}, shape));
        QVERIFY(near(d.temperature, 1.296477, 6e-7));
    }

    void longRopeSwitchesBeyondTheOriginalLength()
    {
        const std::vector<double> shortList = {1, 1, 1, 1};
        const std::vector<double> longList = {1, 2, 4, 8};
        const Ladder ladder = only({Kind::LongRope, {{"factor", 4.0}, {"original", 64.0}, {"short", shortList}, {"long", longList}, {"kept", 3.0}}, {}}, shapeOf(8, 256));
        QVERIFY(near(thetaAtLength(ladder, 64)[3], .001, 1e-15));
        QVERIFY(near(thetaAtLength(ladder, 65)[3], .001 / 8, 1e-15));
        const PhaseTable table = phaseTable(ladder, 100);
        QVERIFY(near(table.cos[std::size_t(2 * 4 + 1)], ladder.tableScale * std::cos(.2), 1e-7));
        QVERIFY(near(table.cos[std::size_t(3 * 4 + 1)], ladder.tableScale * std::cos(.15), 1e-7));
        QVERIFY(near(longRopeAttentionFactor(4, 512), 1.105542, 6e-7));
        QVERIFY(near(longRopeAttentionFactor(4, 2048), 1.087115, 6e-7));
        QVERIFY(near(longRopeAttentionFactor(32, 4096), 1.190238, 6e-7));
    }

    void llama3WorkedNumbers()
    {
        ModelShape shape = shapeOf(128, 8192);
        shape.base = 5e5;
        const auto theta = thetaOf({Kind::Llama3, {}, {}}, shape);
        QVERIFY(near(theta[28], .003211446, 6e-10));
        QVERIFY(near(theta[29], .0021665708, 6e-11));
        QVERIFY(near(theta[30], .0013718936, 6e-11));
        QVERIFY(near(theta[34], .00017850781, 6e-12));
        const auto plain = geometricThetas(5e5, 128, 64);
        QCOMPARE(theta[28], plain[28]);
        for (std::size_t j = 35; j < 64; ++j)
            QCOMPARE(theta[j], plain[j] / 8);
    }

    void mrRopeWorkedNumbers()
    {
        const auto uni = thetaOf({Kind::MrRope, {{"factor", 4.0}, {"variant", "uni"}}, {}}, shapeOf(64, 2048));
        const auto pro = thetaOf({Kind::MrRope, {{"factor", 4.0}}, {}}, shapeOf(64, 2048));
        QVERIFY(near(uni[9], .0674043, 6e-8));
        QVERIFY(near(pro[9], .0738557, 6e-8));
        QVERIFY(near(uni[14], .00937834, 6e-9));
        QVERIFY(near(pro[14], .0129141, 6e-8));
        QVERIFY(near(uni[21], .000592843, 6e-10));
        QVERIFY(near(pro[21], .000592843, 6e-10));
        QCOMPARE(refusalOf({Kind::MrRope, {{"factor", 4.0}}, {}}, shapeOf(64, 128)).code, 2);
    }

    void alibiSeries()
    {
        const std::map<int, std::vector<double>> expected = {
            {1, {.00390625}},
            {3, {.0625, .00390625, .25}},
            {4, {.25, .0625, .015625, .00390625}},
            {6, {.25, .0625, .015625, .00390625, .5, .125}},
            {8, {.5, .25, .125, .0625, .03125, .015625, .0078125, .00390625}},
            {12, {.5, .25, .125, .0625, .03125, .015625, .0078125, .00390625, .70710678, .35355339, .1767767, .088388348}},
        };
        for (const auto& [heads, slopes] : expected) {
            ModelShape shape = shapeOf(16, 64);
            shape.heads = shape.kvHeads = heads;
            const Plan plan = resolve({Kind::Alibi, {}, {}}, shape);
            QCOMPARE(plan.ladders.size(), std::size_t(1));
            QCOMPARE(plan.ladders[0].kind, Kind::Nope);
            for (const auto& row : plan.heads)
                for (std::size_t h = 0; h < slopes.size(); ++h)
                    QVERIFY(near(row[h].slope, slopes[h], 6e-9));
        }
        QVERIFY(near(alibiPlainSlopes(12)[0], std::exp2(-8.0 / 12), 1e-15));
        QVERIFY(alibiPlainSlopes(12) != alibiSlopes(12));
        QVERIFY(alibiPlainSlopes(16) == alibiSlopes(16));
    }

    void droppedAndClippedPlanes()
    {
        const auto p = thetaOf({Kind::PRope, {{"share", .25}}, {}}, shapeOf(64, 512));
        QVERIFY(near(p[7], .133352, 6e-7));
        for (std::size_t j = 0; j < 32; ++j)
            QCOMPARE(p[j] != 0, j < 8);
        const auto plain = geometricThetas(1e4, 64, 32);
        const auto taper = thetaOf({Kind::Clipped, {}, {}}, shapeOf(64, 512));
        const double factors[] = {1, .969846, .883022, .75, .586824, .413176, .25, .116978, .030154, 0};
        for (std::size_t t = 0; t < 10; ++t)
            QVERIFY(near(taper[22 + t] / plain[22 + t], factors[t], 6e-7));
        QCOMPARE(taper[21], plain[21]);
        const auto hard = thetaOf({Kind::Clipped, {{"mode", "hard"}, {"planes", 1.0}}, {}}, shapeOf(64, 512));
        QCOMPARE(hard[31], 0.0);
        QCOMPARE(hard[30], plain[30]);
        QCOMPARE(refusalOf({Kind::Clipped, {{"planes", 1.0}}, {}}, shapeOf(64, 512)).code, 2);
    }

    void resonanceHasWholePeriods()
    {
        const Ladder ladder = only({Kind::Resonance, {}, {}}, shapeOf(16, 64));
        QVERIFY(near(periods(ladder.theta)[0], 6, 1e-12));
        const PhaseTable table = phaseTable(ladder, 64);
        for (std::size_t m = 0; m + 6 < 64; ++m)
            QCOMPARE(table.cos[m * 8], table.cos[(m + 6) * 8]);
    }

    void xposDecaysWithDistance()
    {
        const Ladder ladder = only({Kind::Xpos, {}, {}}, shapeOf(64, 2048));
        QVERIFY(near(ladder.damping[0], .285714, 6e-7));
        QVERIFY(near(ladder.damping[8], .464286, 6e-7));
        QVERIFY(near(ladder.damping[16], .642857, 6e-7));
        QVERIFY(near(ladder.damping[31], .977679, 6e-7));
        QVERIFY(resolve({Kind::Xpos, {}, {}}, shapeOf(64, 2048)).separateKeyTables());
        const PhaseTable q = phaseTable(ladder, 2048, Side::Query);
        const PhaseTable k = phaseTable(ladder, 2048, Side::Key);
        for (const std::size_t j : {std::size_t(0), std::size_t(9), std::size_t(31)})
            for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{0, 0}, {700, 650}, {2047, 1024}}) {
                const double product = double(q.cos[m * 32 + j]) * k.cos[n * 32 + j] + double(q.sin[m * 32 + j]) * k.sin[n * 32 + j];
                const double delta = double(m - n);
                QVERIFY(near(product, std::pow(ladder.damping[j], delta / 512) * std::cos(delta * ladder.theta[j]), 1e-6));
            }
        QVERIFY_EXCEPTION_THROWN(phaseTable(ladder, 1 << 20), Error);
    }

    void mobiusOfThirtyTwoLanes()
    {
        const Ladder ladder = only({Kind::Mobius, {}, {}}, shapeOf(32, 256));
        QVERIFY(near(ladder.theta[0], .012271846303, 6e-13));
        QVERIFY(near(ladder.theta[1], .036815538909, 6e-13));
        QVERIFY(near(ladder.theta[15], .380427235396, 6e-13));
        const auto sum = [&](std::int64_t delta) { return 16 * meanCosine(ladder, delta); };
        QCOMPARE(sum(0), 16.0);
        QVERIFY(near(sum(1), 15.592317094, 6e-10));
        for (const std::int64_t zero : {16, 40, 128, 248})
            QVERIFY(near(sum(zero), 0, 1e-14));
        QVERIFY(near(sum(255), -15.592317094, 6e-10));
        QCOMPARE(sum(256), -16.0);
    }

    void positionsModuloTheWindow()
    {
        ModelShape shape = shapeOf(16, 256);
        shape.layers = 8;
        const Plan plan = resolve({Kind::PeriodicRope, {{"window", 32.0}, {"log_offset", 10.0}}, {}}, shape);
        QVERIFY(plan.logLengthTemperature);
        QCOMPARE(plan.temperatureOffset, 10.0);
        for (std::size_t l = 0; l < 8; ++l) {
            const bool global = l % 4 == 3;
            QCOMPARE(plan.heads[l][0].window, std::int64_t(global ? 0 : 32));
            QCOMPARE(plan.ladders[std::size_t(plan.heads[l][0].ladder)].kind, global ? Kind::Nope : Kind::PeriodicRope);
        }
        const Ladder& ladder = plan.ladders[std::size_t(plan.heads[0][0].ladder)];
        const PhaseTable table = phaseTable(ladder, 100);
        for (std::size_t m = 0; m + 32 < 100; ++m)
            QCOMPARE(table.sin[m * 8], table.sin[(m + 32) * 8]);
        shape.layers = 6;
        const Plan shorter = resolve({Kind::PeriodicRope, {}, {}}, shape);
        QCOMPARE(shorter.heads[5][0].window, std::int64_t(0));
        QCOMPARE(shorter.heads[4][0].window, std::int64_t(64));
    }

    void customKeepsExactTurns()
    {
        const Ladder mobius = only({Kind::Mobius, {}, {}}, shapeOf(64, 2048));
        const Ladder custom = only({Kind::Custom, {{"theta", mobius.theta}}, {}}, shapeOf(64, 2048));
        QCOMPARE(custom.hash, mobius.hash);
        QVERIFY(phaseTable(custom, 4096).cos == phaseTable(mobius, 4096).cos);
        QVERIFY(!only({Kind::Custom, {{"theta", geometricThetas(1e4, 64, 32)}}, {}}, shapeOf(64, 2048)).exact);
    }

    void snappedTurns()
    {
        const auto half = thetaOf({Kind::Snapped, {}, {}}, shapeOf(64, 512));
        const auto r = turns(half, 512);
        int lowest = 0;
        for (const double turn : r) {
            QVERIFY(near(turn - std::floor(turn), .5, 1e-9));
            lowest += turn < 1 ? 1 : 0;
        }
        QCOMPARE(lowest, 16);
        for (const double turn : turns(thetaOf({Kind::Snapped, {{"mode", "whole"}}, {}}, shapeOf(64, 512)), 512))
            QVERIFY(near(turn, std::round(turn), 1e-9));
    }
};

QTEST_GUILESS_MAIN(TestSchemes)
#include "tst_ladder_schemes.moc"
