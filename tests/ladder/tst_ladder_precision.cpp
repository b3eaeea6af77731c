// What rounding does to a rotary ladder, N = 2048, d = 64: why tables are made in double, kept in float and rotated in float.
#include <QtTest>

#include <bit>
#include <functional>
#include <numbers>
#include <set>

#include "core/ladder/kernel.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

constexpr std::int64_t kContext = 2048;
constexpr std::size_t kPlanes = 32;

// Round to nearest even on eight significant bits.
double bf16(double value)
{
    const auto bits = std::bit_cast<std::uint32_t>(float(value));
    return double(std::bit_cast<float>((bits + 0x7fffu + ((bits >> 16) & 1)) & 0xffff0000u));
}

struct Damage {
    double rms = 0;
    double worst = 0;
};

// Error of the mean-cosine kernel over all causal pairs, for tables whose phase is `cosine` and `sine` of (position, plane).
Damage damage(const Ladder& ladder, const std::function<std::pair<double, double>(std::int64_t, std::size_t)>& phase)
{
    std::vector<float> c(std::size_t(kContext) * kPlanes), s(c.size());
    for (std::int64_t m = 0; m < kContext; ++m)
        for (std::size_t j = 0; j < kPlanes; ++j) {
            const auto [cosine, sine] = phase(m, j);
            c[std::size_t(m) * kPlanes + j] = float(cosine);
            s[std::size_t(m) * kPlanes + j] = float(sine);
        }
    std::vector<double> exact;
    for (std::int64_t delta = 0; delta < kContext; ++delta)
        exact.push_back(meanCosine(ladder, delta));
    double squares = 0;
    double worst = 0;
    std::int64_t pairs = 0;
    for (std::size_t m = 0; m < std::size_t(kContext); ++m)
        for (std::size_t n = 0; n <= m; ++n, ++pairs) {
            float sum = 0;
            for (std::size_t j = 0; j < kPlanes; ++j)
                sum += c[m * kPlanes + j] * c[n * kPlanes + j] + s[m * kPlanes + j] * s[n * kPlanes + j];
            const double error = double(sum) / kPlanes - exact[m - n];
            squares += error * error;
            worst = std::max(worst, std::abs(error));
        }
    return {std::sqrt(squares / double(pairs)), worst};
}

}  // namespace

class TestPrecision : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void positionsCollapse()
    {
        std::set<double> distinct;
        for (std::int64_t m = 0; m < kContext; ++m)
            distinct.insert(bf16(double(m)));
        QCOMPARE(distinct.size(), std::size_t(641));
        QCOMPARE(bf16(257), 256.0);
        QCOMPARE(bf16(1027), 1024.0);
    }

    void tablesMayBeRoundedButNotPositions_data()
    {
        QTest::addColumn<bool>("isMobius");
        QTest::addColumn<double>("tableWorst");
        QTest::addColumn<double>("normLow");
        QTest::addColumn<double>("positionRms");
        QTest::addColumn<double>("positionWorst");
        QTest::newRow("standard") << false << .0014 << .9946 << .058 << .300;
        QTest::newRow("mobius") << true << .0036 << .9952 << .018 << .337;
    }

    void tablesMayBeRoundedButNotPositions()
    {
        QFETCH(bool, isMobius);
        QFETCH(double, tableWorst);
        QFETCH(double, normLow);
        QFETCH(double, positionRms);
        QFETCH(double, positionWorst);
        const Ladder ladder = only({isMobius ? Kind::Mobius : Kind::Standard, {}, {}}, shapeOf(64, kContext));
        double low = 1, high = 1;
        const Damage tables = damage(ladder, [&](std::int64_t m, std::size_t j) {
            const double angle = double(m) * ladder.theta[j];
            const double c = bf16(std::cos(angle)), s = bf16(std::sin(angle));
            low = std::min(low, c * c + s * s);
            high = std::max(high, c * c + s * s);
            return std::pair(c, s);
        });
        QVERIFY(near(tables.rms, .00024, 6e-6));
        QVERIFY(near(tables.worst, tableWorst, 6e-5));
        QVERIFY(near(low, normLow, 6e-5));
        QVERIFY(near(high, 1.0055, 6e-5));
        const Damage positions = damage(ladder, [&](std::int64_t m, std::size_t j) {
            const double angle = bf16(double(m)) * ladder.theta[j];
            return std::pair(std::cos(angle), std::sin(angle));
        });
        QVERIFY(near(positions.rms, positionRms, 6e-4));
        QVERIFY(near(positions.worst, positionWorst, 6e-4));
    }

    void roundedFrequenciesDrift_data()
    {
        QTest::addColumn<bool>("isMobius");
        QTest::addColumn<double>("angle");
        QTest::addColumn<double>("cosine");
        QTest::newRow("standard") << false << .89 << 7.2e-5;
        QTest::newRow("mobius") << true << .50 << 1.4e-5;
    }

    void roundedFrequenciesDrift()
    {
        QFETCH(bool, isMobius);
        QFETCH(double, angle);
        QFETCH(double, cosine);
        const Ladder ladder = only({isMobius ? Kind::Mobius : Kind::Standard, {}, {}}, shapeOf(64, kContext));
        double worstAngle = 0, worstCosine = 0, least = 1, most = -1;
        for (const double theta : ladder.theta) {
            worstAngle = std::max(worstAngle, double(kContext - 1) * std::abs(bf16(theta) - theta));
            least = std::min(least, std::cos(double(kContext) * bf16(theta)));
            most = std::max(most, std::cos(double(kContext) * bf16(theta)));
            for (std::int64_t m = 0; m < kContext; ++m)
                worstCosine = std::max(worstCosine, std::abs(std::cos(double(float(m) * float(theta))) - std::cos(double(m) * theta)));
        }
        QVERIFY(near(worstAngle, angle, 6e-3));
        QVERIFY2(worstCosine <= cosine * 1.05, qPrintable(QString::number(worstCosine)));
        if (isMobius) {
            QVERIFY(near(most, -.88, 6e-3));
            QVERIFY(near(least, -1, 1e-4));
        }
    }

    // Ours: nothing but the last rounding to float.
    void ourTablesAreWithinOneRounding()
    {
        for (const Kind kind : {Kind::Standard, Kind::Mobius}) {
            const Ladder ladder = only({kind, {}, {}}, shapeOf(64, kContext));
            const PhaseTable table = phaseTable(ladder, kContext);
            for (std::int64_t m = 0; m < kContext; ++m)
                for (std::size_t j = 0; j < kPlanes; ++j)
                    QVERIFY(std::abs(double(table.cos[std::size_t(m) * kPlanes + j]) - std::cos(double(m) * ladder.theta[j])) < 3e-8 + 1e-12);
        }
    }
};

QTEST_GUILESS_MAIN(TestPrecision)
#include "tst_ladder_precision.moc"
