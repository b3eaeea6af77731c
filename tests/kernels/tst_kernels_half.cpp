#include "kernels/common/half.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace holo::kernels;

namespace {

template <typename Half>
std::uint16_t bitsFrom(float x)
{
    Half h;
    fromFloat(x, h);
    return h.bits;
}

// Nearest of all values of the type, ties to the even pattern, by looking at both neighbours.
template <typename Half>
std::uint16_t nearest(float x, std::uint16_t below)
{
    const double low = toFloat(Half{below});
    const double high = toFloat(Half{std::uint16_t(below + 1)});
    const double toLow = double(x) - low, toHigh = high - double(x);
    return toLow < toHigh ? below : toHigh < toLow ? std::uint16_t(below + 1) : (below & 1) == 0 ? below : std::uint16_t(below + 1);
}

template <typename Half>
void everyPattern(int infinity)
{
    for (int bits = 0; bits < 65536; ++bits) {
        const float x = toFloat(Half{std::uint16_t(bits)});
        if (std::isnan(x))
            QVERIFY((bits & 0x7fff) > infinity && std::isnan(toFloat(Half{bitsFrom<Half>(x)})));
        else
            QCOMPARE(int(bitsFrom<Half>(x)), bits);
    }
}

template <typename Half>
void everyGap(int infinity)
{
    for (int bits = 0; bits + 1 < infinity; ++bits) {
        const float low = toFloat(Half{std::uint16_t(bits)});
        const float high = toFloat(Half{std::uint16_t(bits + 1)});
        const float middle = float((double(low) + double(high)) / 2);
        for (const float x : {middle, std::nextafter(middle, low), std::nextafter(middle, high)}) {
            QCOMPARE(bitsFrom<Half>(x), nearest<Half>(x, std::uint16_t(bits)));
            QCOMPARE(int(bitsFrom<Half>(-x)), nearest<Half>(x, std::uint16_t(bits)) | 0x8000);
        }
    }
}

}  // namespace

class TestHalf : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPatternSurvives()
    {
        everyPattern<BFloat16>(0x7f80);
        everyPattern<Float16>(0x7c00);
    }
    void roundsToNearestEven()
    {
        everyGap<BFloat16>(0x7f80);
        everyGap<Float16>(0x7c00);
    }
    void knownValues()
    {
        QCOMPARE(toFloat(Float16{0x3c00}), 1.0f);
        QCOMPARE(toFloat(Float16{0x7bff}), 65504.0f);
        QCOMPARE(toFloat(Float16{0x0001}), 0x1p-24f);
        QCOMPARE(toFloat(BFloat16{0x3f80}), 1.0f);
        QCOMPARE(int(bitsFrom<Float16>(65519.9f)), 0x7bff);
        QCOMPARE(int(bitsFrom<Float16>(65520.0f)), 0x7c00);
        QCOMPARE(int(bitsFrom<Float16>(std::numeric_limits<float>::max())), 0x7c00);
        QCOMPARE(int(bitsFrom<BFloat16>(std::numeric_limits<float>::max())), 0x7f80);
    }
};

QTEST_APPLESS_MAIN(TestHalf)
#include "tst_kernels_half.moc"
