#include "kernels/rotary/rotary.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace holo::kernels;

namespace {

const std::vector<float> kQuery = {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f};
const std::vector<float> kKey = {.8f, -.7f, .6f, -.5f, .4f, -.3f, .2f, -.1f};

struct Tables {
    std::vector<float> cosines, sines;
    int planes = 4;

    LadderTables view() const { return {cosines.data(), sines.data(), 1, std::int64_t(cosines.size()) / planes, planes}; }
};

Tables standard(int positions)
{
    Tables tables;
    for (int n = 0; n < positions; ++n) {
        for (int j = 0; j < 4; ++j) {
            const double angle = n * std::pow(10000.0, -j / 4.0);
            tables.cosines.push_back(float(std::cos(angle)));
            tables.sines.push_back(float(std::sin(angle)));
        }
    }
    return tables;
}

// Fourier tables of two kept frequencies, 1 and 0.1, mixed by the given coefficients; the other two planes have C = 1 and `pad` as S.
Tables fourier(int positions, bool normalised, float pad)
{
    double a[2][2] = {{1.10, -.20}, {.05, 1.15}};
    double b[2][2] = {{.90, .20}, {.30, .95}};
    for (auto* m : {a, b}) {
        for (int p = 0; normalised && p < 2; ++p) {
            const double sum = m[0][p] + m[1][p];
            m[0][p] /= sum;
            m[1][p] /= sum;
        }
    }
    Tables tables;
    for (int n = 0; n < positions; ++n) {
        for (int p = 0; p < 2; ++p) {
            tables.cosines.push_back(float(std::cos(n) * a[0][p] + std::cos(.1 * n) * a[1][p]));
            tables.sines.push_back(float(std::sin(n) * b[0][p] + std::sin(.1 * n) * b[1][p]));
        }
        tables.cosines.insert(tables.cosines.end(), 2, 1.0f);
        tables.sines.insert(tables.sines.end(), 2, pad);
    }
    return tables;
}

std::vector<float> at(const Tables& tables, Pairing pairing, std::vector<float> x, std::int64_t position)
{
    RotaryParams p;
    p.batch = p.tokens = 1;
    p.headDim = p.rotaryDim = 8;
    p.pairing = pairing;
    p.positions.offset = position;
    p.groups = 1;
    p.group[0].input = p.group[0].output = x.data();
    p.group[0].heads = 1;
    p.group[0].tables = tables.view();
    rotate(p);
    return x;
}

double dot(const std::vector<float>& a, const std::vector<float>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += double(a[i]) * double(b[i]);
    return sum;
}

void compare(const std::vector<float>& got, const std::vector<double>& wanted)
{
    for (std::size_t i = 0; i < wanted.size(); ++i)
        QVERIFY2(std::abs(got[i] - wanted[i]) < 1e-6, qPrintable(QString("dim %1: %2 for %3").arg(i).arg(got[i]).arg(wanted[i])));
}

double score(const Tables& tables, int m, int n)
{
    return dot(at(tables, Pairing::HalfSplit, kQuery, m), at(tables, Pairing::HalfSplit, kKey, n));
}

}  // namespace

class TestRotaryVectors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void standardRotary()
    {
        const Tables tables = standard(16);
        compare(at(tables, Pairing::HalfSplit, kQuery, 5), {.507828, -.112139, .264640, .395995, .045939, .622435, .714119, .801990});
        compare(at(tables, Pairing::Interleaved, kQuery, 5), {.220151, -.039160, .071505, .494861, .469388, .624240, .695991, .803490});
        for (const auto& [m, n] : {std::pair{5, 2}, std::pair{10, 7}}) {
            const auto with = [&](Pairing pairing) { return dot(at(tables, pairing, kQuery, m), at(tables, pairing, kKey, n)); };
            QVERIFY(std::abs(with(Pairing::HalfSplit) + .497183) < 1e-6);
            QVERIFY(std::abs(with(Pairing::Interleaved) + .039815) < 1e-6);
        }
        QCOMPARE(at(tables, Pairing::HalfSplit, kQuery, 0), kQuery);
    }

    void fourierOfficial()
    {
        const Tables tables = fourier(16, false, 1);
        compare(at(tables, Pairing::HalfSplit, kQuery, 5), {.395193, .032296, -.4, -.4, .106033, .624226, 1.0, 1.2});
        QVERIFY(std::abs(score(tables, 5, 2) + .543236) < 1e-6);
        QVERIFY(std::abs(score(tables, 10, 7) + .747062) < 1e-6);
        QVERIFY(std::abs(score(tables, 5, 0) - .292971) < 1e-6);
    }

    void fourierNormalised()
    {
        const Tables tables = fourier(16, true, 1);
        compare(at(tables, Pairing::HalfSplit, kQuery, 5), {.330617, .062957, -.4, -.4, .094809, .647427, 1.0, 1.2});
        QVERIFY(std::abs(score(tables, 5, 2) + .512309) < 1e-6);
        QVERIFY(std::abs(score(tables, 10, 7) + .606064) < 1e-6);
        QVERIFY(std::abs(score(tables, 5, 0) - .144119) < 1e-6);
    }

    void fourierPassThrough()
    {
        const Tables tables = fourier(16, false, 0);
        compare(at(tables, Pairing::HalfSplit, kQuery, 5), {.395193, .032296, .3, .4, .106033, .624226, .7, .8});
        QVERIFY(std::abs(score(tables, 5, 2) + .583236) < 1e-6);
        QVERIFY(std::abs(score(tables, 10, 7) + .787062) < 1e-6);
        QVERIFY(std::abs(score(tables, 5, 0) - .252971) < 1e-6);
    }
};

QTEST_APPLESS_MAIN(TestRotaryVectors)
#include "tst_kernels_rotary_vectors.moc"
