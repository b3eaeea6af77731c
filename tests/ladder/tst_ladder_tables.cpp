#include <QtTest>

#include <cmath>

#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

class TestTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void standardRotatesTheTestVectors()
    {
        const Ladder ladder = only({Kind::Standard, {}, {}}, shapeOf(8, 64));
        const std::vector<double> expected = {0.507828, -0.112139, 0.264640, 0.395995, 0.045939, 0.622435, 0.714119, 0.801990};
        const auto q5 = rotated(ladder, kQ, 5);
        for (std::size_t i = 0; i < 8; ++i)
            QVERIFY(near(q5[i], expected[i], 6e-7));
        QVERIFY(near(dot(q5, rotated(ladder, kK, 2)), -0.497183, 6e-7));
        QVERIFY(near(dot(rotated(ladder, kQ, 10), rotated(ladder, kK, 7)), -0.497183, 6e-7));
    }

    void bothPairingsInDouble()
    {
        const Ladder ladder = only({Kind::Standard, {}, {}}, shapeOf(8, 64));
        const std::vector<double> half = {0.507828, -0.112139, 0.264640, 0.395995, 0.045939, 0.622435, 0.714119, 0.801990};
        const std::vector<double> neighbours = {0.220151, -0.039160, 0.071505, 0.494861, 0.469388, 0.624240, 0.695991, 0.803490};
        for (const auto& [pairing, expected, score] : {std::tuple{Pairing::HalfSplit, half, -0.497183}, {Pairing::Interleaved, neighbours, -0.039815}}) {
            const auto turn = [&, p = pairing](const std::vector<double>& x, std::int64_t m) { return holo::ladder::rotated(ladder, x, m, 64, p); };
            for (std::size_t i = 0; i < 8; ++i)
                QVERIFY(near(turn(kQ, 5)[i], expected[i], 6e-7));
            QVERIFY(near(dot(turn(kQ, 5), turn(kK, 2)), score, 6e-7));
            QVERIFY(near(dot(turn(kQ, 10), turn(kK, 7)), score, 6e-7));
        }
        const Ladder four = only({Kind::Standard, {}, {}}, shapeOf(4, 64));
        const std::vector<double> lanes = {1, 2, 3, 4, 9, 8};
        const double halfOfFour[] = {-3.144039, 1.919605, -.339143, 4.039197, 9, 8};
        const double neighboursOfFour[] = {-2.234742, .077004, 2.919405, 4.059196, 9, 8};
        for (std::size_t i = 0; i < 6; ++i) {
            QVERIFY(near(holo::ladder::rotated(four, lanes, 2, 64, Pairing::HalfSplit)[i], halfOfFour[i], 6e-7));
            QVERIFY(near(holo::ladder::rotated(four, lanes, 2, 64, Pairing::Interleaved)[i], neighboursOfFour[i], 6e-7));
        }
        QVERIFY_EXCEPTION_THROWN(holo::ladder::rotated(four, std::vector<double>{1, 2, 3}, 2, 64, Pairing::HalfSplit), holo::Error);
    }

    void aWholeContextNegatesEveryVector()
    {
        const Ladder mobius = only({Kind::Mobius, {}, {}}, shapeOf(8, 64));
        const Ladder periodic = only({Kind::Periodic, {}, {}}, shapeOf(8, 64));
        for (std::size_t i = 0; i < 8; ++i) {
            QCOMPARE(holo::ladder::rotated(mobius, kQ, 64, 65, Pairing::HalfSplit)[i], -kQ[i]);
            QCOMPARE(holo::ladder::rotated(periodic, kQ, 64, 65, Pairing::HalfSplit)[i], kQ[i]);
        }
    }

    void mobiusAndControlsOfWidthEight()
    {
        const ModelShape shape = shapeOf(8, 64);
        const Ladder mobius = only({Kind::Mobius, {}, {}}, shape);
        const double theta[] = {.04908739, .14726216, .24543693, .34361170};
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(near(mobius.theta[i], theta[i], 6e-9));
        const auto score = [&](const Ladder& ladder, std::int64_t m, std::int64_t n) { return dot(rotated(ladder, kQ, m), rotated(ladder, kK, n)); };
        QVERIFY(near(score(mobius, 60, 3), -.186472, 6e-7));
        QVERIFY(near(score(mobius, 63, 0), .059062, 6e-7));
        QVERIFY(near(score(only({Kind::Periodic, {}, {}}, shape), 60, 3), .316878, 6e-7));
        QVERIFY(near(score(only({Kind::Periodic, {{"variant", "B"}}, {}}, shape), 60, 3), .034266, 6e-7));
        QVERIFY(near(score(only({Kind::Band, {{"variant", "C1"}}, {}}, shape), 60, 3), -.788502, 6e-7));
        const Ladder jittered = only({Kind::Band, {}, {}}, shape);
        const double jitteredTheta[] = {.05750945, .16266129, .26781312, .33110256};
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(near(jittered.theta[i], jitteredTheta[i], 6e-9));
    }

    void mobiusNegatesAfterTheContext()
    {
        const Ladder ladder = only({Kind::Mobius, {}, {}}, shapeOf(64, 2048));
        const PhaseTable table = phaseTable(ladder, 3 * 2048);
        const std::size_t turn = std::size_t(2048) * 32;
        for (std::size_t i = 0; i < turn; ++i) {
            QCOMPARE(table.cos[i + turn], -table.cos[i]);
            QCOMPARE(table.sin[i + turn], -table.sin[i]);
            QCOMPARE(table.cos[i + 2 * turn], table.cos[i]);
            QCOMPARE(table.sin[i + 2 * turn], table.sin[i]);
        }
    }

    void nopeLeavesVectorsAlone()
    {
        const PhaseTable table = phaseTable(only({Kind::Nope, {}, {}}, shapeOf(8, 64)), 100);
        for (std::size_t i = 0; i < table.cos.size(); ++i) {
            QCOMPARE(table.cos[i], 1.0f);
            QCOMPARE(table.sin[i], 0.0f);
        }
    }

    void farPositionsKeepTheirPhase()
    {
        const Ladder ladder = only({Kind::Standard, {}, {}}, shapeOf(64, 2048));
        const std::int64_t positions[] = {(std::int64_t(1) << 20) + 3, (std::int64_t(1) << 40) + 12345};
        const PhaseTable table = phaseTableAt(ladder, positions, positions[1] + 1);
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t j = 0; j < 32; ++j) {
                const long double angle = static_cast<long double>(ladder.theta[j]) * static_cast<long double>(positions[p]);
                QVERIFY(near(table.cos[p * 32 + j], double(std::cos(angle)), 1e-6));
                QVERIFY(near(table.sin[p * 32 + j], double(std::sin(angle)), 1e-6));
            }
    }

    void hybridTakesTheFirstHeads()
    {
        ModelShape shape = shapeOf(16, 256);
        shape.heads = shape.kvHeads = 6;
        const Plan plan = resolve({Kind::Hybrid, {{"share", .25}}, {}}, shape);
        QCOMPARE(plan.ladders.size(), std::size_t(2));
        QCOMPARE(plan.share, 2.0 / 6);
        for (const auto& row : plan.heads)
            for (int h = 0; h < 6; ++h)
                QCOMPARE(plan.ladders[std::size_t(row[std::size_t(h)].ladder)].kind, h < 2 ? Kind::Mobius : Kind::Standard);
    }
};

QTEST_GUILESS_MAIN(TestTables)
#include "tst_ladder_tables.moc"
