#include <QtTest>

#include "core/ladder/fourier.h"
#include "core/ladder/frequencies.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

const Matrix kCos = {{1.10, -.20}, {.05, 1.15}};
const Matrix kSin = {{.90, .20}, {.30, .95}};

Scheme exampleA(std::map<std::string, Value> more = {})
{
    more["cos"] = kCos;
    more["sin"] = kSin;
    return {Kind::Fope, more, {}};
}

}  // namespace

class TestFope : public QObject {
    Q_OBJECT

private:
    void compareRow(const PhaseTable& table, const std::vector<double>& expected) const  // C0 C1 S0 S1
    {
        for (std::size_t p = 0; p < 2; ++p) {
            QVERIFY(near(table.cos[p], expected[p], 6e-7));
            QVERIFY(near(table.sin[p], expected[2 + p], 6e-7));
        }
    }

    void compareRows(const Ladder& ladder, const std::map<std::int64_t, std::vector<double>>& rows) const
    {
        for (const auto& [n, row] : rows) {
            const std::int64_t positions[] = {n};
            compareRow(phaseTableAt(ladder, positions, 64), row);
        }
    }

    void compareScores(const Ladder& ladder, const std::vector<double>& q5, const std::vector<double>& scores) const
    {
        const auto rotatedQ = rotated(ladder, kQ, 5);
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(near(rotatedQ[i], q5[i], 6e-7));
        QVERIFY(near(dot(rotatedQ, rotated(ladder, kK, 2)), scores[0], 1e-6));
        QVERIFY(near(dot(rotated(ladder, kQ, 10), rotated(ladder, kK, 7)), scores[1], 1e-6));
        QVERIFY(near(dot(rotatedQ, rotated(ladder, kK, 0)), scores[2], 1e-6));
    }

private Q_SLOTS:
    void officialExample()
    {
        const Ladder ladder = only(exampleA(), shapeOf(8, 64));
        QCOMPARE(ladder.fourier->kept.size(), std::size_t(2));
        compareRows(ladder, {{0, {1.15, .95, 0, 0}},
                             {1, {.644083, 1.036194, .787274, .263136}},
                             {2, {-.408758, 1.210306, .877968, .370595}},
                             {5, {.355908, .952488, -.719204, .263669}},
                             {10, {-.895964, .789162, -.237178, .690593}},
                             {32, {.867731, -1.314884, .478772, .054830}},
                             {63, {1.134479, .952658, .155664, .049444}}});
        for (const std::int64_t n : {0, 63}) {
            const std::int64_t positions[] = {n};
            const PhaseTable table = phaseTableAt(ladder, positions, 64);
            for (const std::size_t p : {std::size_t(2), std::size_t(3)}) {
                QCOMPARE(table.cos[p], 1.0f);
                QCOMPARE(table.sin[p], 1.0f);
            }
        }
        compareScores(ladder, {.395193, .032296, -.4, -.4, .106033, .624226, 1.0, 1.2}, {-.543236, -.747062, .292971});
    }

    void columnSums()
    {
        const Ladder ladder = only(exampleA({{"norm", "columns"}}), shapeOf(8, 64));
        compareRows(ladder, {{0, {1, 1, 0, 0}},
                             {1, {.560072, 1.090731, .656062, .228814}},
                             {2, {-.355442, 1.274006, .731640, .322257}},
                             {5, {.309485, 1.002618, -.599337, .229278}},
                             {10, {-.779099, .830697, -.197648, .600516}},
                             {63, {.986504, 1.002798, .129720, .042995}}});
        compareScores(ladder, {.330617, .062957, -.4, -.4, .094809, .647427, 1.0, 1.2}, {-.512309, -.606064, .144119});
        QVERIFY(near(ladder.fourier->smallestColumnSum, .95, 1e-12));
    }

    void passThroughLeavesLanesAlone()
    {
        const Ladder ladder = only(exampleA({{"pad", "pass"}}), shapeOf(8, 64));
        compareScores(ladder, {.395193, .032296, .3, .4, .106033, .624226, .7, .8}, {-.583236, -.787062, .252971});
    }

    void oversampledExample()
    {
        const Matrix cosines = {{1.10, -.20}, {.05, .15}, {-.05, 1.10}};
        const Matrix sines = {{.90, .20}, {.30, -.05}, {.02, .92}};
        const Ladder ladder = only({Kind::Fope, {{"fourier_dim", 16.0}, {"cos", cosines}, {"sin", sines}}, {}}, shapeOf(8, 64));
        const FourierSeries& series = *ladder.fourier;
        QCOMPARE(series.kept.size(), std::size_t(3));
        QVERIFY(near(series.kept[1], .316228, 6e-7));
        QCOMPARE(series.step, 2);
        compareRows(ladder, {{0, {1.1, 1.05, 0, 0}},
                             {1, {.592103, 1.129006, .852616, .244592}},
                             {5, {.267632, .907057, -.553459, .199289}},
                             {63, {1.058377, .974316, .414518, .005013}}});
    }

    void releasedStepIdentity()
    {
        // width, fourier_dim, N → D, P, step, planes with a dominant, zero planes
        const int table[][8] = {{64, 64, 512, 16, 16, 1, 16, 16},    {64, 64, 1024, 18, 16, 2, 9, 16},   {64, 64, 2048, 21, 16, 2, 11, 16},
                                {64, 128, 512, 31, 16, 2, 16, 16},   {64, 256, 512, 62, 16, 4, 16, 16},  {64, 256, 1024, 71, 16, 5, 15, 16},
                                {128, 128, 512, 31, 31, 1, 31, 33},  {128, 512, 512, 123, 32, 4, 31, 32}, {128, 512, 1024, 142, 32, 5, 29, 32}};
        for (const auto& row : table) {
            const Scheme scheme{Kind::Fope, {{"fourier_dim", double(row[1])}, {"context", double(row[2])}}, {}};
            const ModelShape shape = shapeOf(row[0], 512);
            const FourierDesign design = fourierDesign(Parameters(scheme, shape), shape);
            QCOMPARE(int(design.kept.size()), row[3]);
            QCOMPARE(design.planes, row[4]);
            QCOMPARE(design.step, row[5]);
            QCOMPARE(design.planes - design.emptyColumns, row[6]);
            QCOMPARE(row[0] / 2 - design.planes, row[7]);

            const Scheme clean{Kind::Fope, {{"fourier_dim", double(row[1])}, {"context", double(row[2])}, {"mode", "clean"}}, {}};
            const FourierDesign other = fourierDesign(Parameters(clean, shape), shape);
            QCOMPARE(other.emptyColumns, 0);
            for (std::size_t p = 0; p < std::size_t(other.planes); ++p) {
                double sum = 0;
                for (const auto& r : other.identity)
                    sum += r[p];
                QCOMPARE(sum, 1.0);
            }
        }
    }

    void gainAndStd()
    {
        ModelShape shape = shapeOf(64, 512);
        shape.heads = shape.kvHeads = 8;
        const Scheme scheme{Kind::Fope, {{"gain", .3}}, {}};
        const FourierDesign design = fourierDesign(Parameters(scheme, shape), shape);
        QVERIFY(near(design.entryStd, .02165, 6e-6));
        const Scheme direct{Kind::Fope, {{"std", .3}}, {}};
        const FourierDesign other = fourierDesign(Parameters(direct, shape), shape);
        QCOMPARE(other.entryStd, .3);
        QVERIFY(near(other.gain, .3 * .3 / .0216506, 1e-3));
        QCOMPARE(refusalOf({Kind::Fope, {{"gain", .3}, {"std", .3}}, {}}, shape).code, 2);
    }

    void coefficientsDependOnLayerHeadSeed()
    {
        ModelShape shape = shapeOf(64, 512);
        shape.heads = 6;
        shape.kvHeads = 3;
        const Plan plan = resolve({Kind::Fope, {}, {}}, shape);
        QCOMPARE(plan.ladders.size(), std::size_t(6));
        for (std::size_t layer = 0; layer < 2; ++layer)
            for (std::size_t head = 0; head < 6; ++head)
                QCOMPARE(plan.heads[layer][head].ladder, int(layer * 3 + head / 2));
        QVERIFY(resolve({Kind::Fope, {}, {}}, shape).ladders[2].hash == plan.ladders[2].hash);
        shape.seed = 1;
        QVERIFY(resolve({Kind::Fope, {}, {}}, shape).ladders[2].hash != plan.ladders[2].hash);

        const FourierSeries& series = *plan.ladders[0].fourier;
        double squares = 0;
        int count = 0;
        for (std::size_t layer = 0; layer < plan.ladders.size(); ++layer)
            for (const Matrix* matrix : {&plan.ladders[layer].fourier->cosCoefficients, &plan.ladders[layer].fourier->sinCoefficients})
                for (std::size_t d = 0; d < 16; ++d)
                    for (std::size_t p = 0; p < 16; ++p) {
                        const double rest = (*matrix)[d][p] - (d == p ? 1 : 0);
                        squares += rest * rest;
                        ++count;
                    }
        QVERIFY(near(std::sqrt(squares / count) / series.entryStd, 1, .05));
    }

    void partsAlone()
    {
        const ModelShape shape = shapeOf(64, 512);
        const Plan clip = resolve({Kind::Fope, {{"parts", "cf"}, {"pad", "pass"}}, {}}, shape);
        QCOMPARE(clip.ladders.size(), std::size_t(1));
        const PhaseTable table = phaseTable(clip.ladders[0], 64);
        const PhaseTable plain = phaseTable(only({Kind::PRope, {{"share", .5}}, {}}, shape), 64);
        for (std::size_t i = 0; i < table.cos.size(); ++i) {
            QCOMPARE(table.cos[i], plain.cos[i]);
            QCOMPARE(table.sin[i], plain.sin[i]);
        }
        const Scheme series{Kind::Fope, {{"parts", "fs"}, {"mode", "clean"}}, {}};
        const FourierDesign design = fourierDesign(Parameters(series, shape), shape);
        QCOMPARE(design.kept.size(), std::size_t(32));
        QCOMPARE(design.planes, 32);
    }

    void refusesWhatCannotWork()
    {
        const ModelShape shape = shapeOf(64, 512);
        const std::map<std::string, Value> broken[] = {
            {{"context", 6.0}}, {{"cap", 33.0}}, {{"fourier_dim", 65.0}}, {{"cos", kCos}}, {{"cos", kCos}, {"sin", kSin}}, {{"mode", "wild"}}, {{"gain", -1.0}},
        };
        for (const auto& parameters : broken)
            QCOMPARE(refusalOf({Kind::Fope, parameters, {}}, shape).code, 2);
        QCOMPARE(refusalOf({Kind::Fope, {}, {}}, shapeOf(2, 512)).code, 2);
    }
};

QTEST_GUILESS_MAIN(TestFope)
#include "tst_ladder_fope.moc"
