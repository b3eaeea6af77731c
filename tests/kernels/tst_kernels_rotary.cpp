#include "tests/kernels/rotary_case.h"

#include <QTest>

#include <stdexcept>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

// Distance in units of the last place; patterns of sign and magnitude are put in order first.
template <typename Half>
int ulps(Half a, Half b)
{
    const auto ordered = [](Half x) { return x.bits & 0x8000 ? -(x.bits & 0x7fff) : int(x.bits); };
    return std::abs(ordered(a) - ordered(b));
}

template <typename T>
bool sameBits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename T>
void compareWithReference(const RotaryCase& c, Pairing pairing, Direction direction, Dtype dtype)
{
    RotaryData<T> reference(c, pairing, dtype);
    reference.params.direction = direction;
    const std::vector<T> before = reference.written();
    rotateReference(reference.params);
    const std::vector<T>& wanted = reference.written();

    std::vector<T> plain;
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (!available(isa))
            continue;
        for (const ParallelFor& cut : {ParallelFor(serialFor), ParallelFor(backwardsFor), ParallelFor(thirdsFor)}) {
            RotaryData<T> data(c, pairing, dtype);
            data.params.direction = direction;
            rotate(data.params, cut, isa);
            const std::vector<T>& got = data.written();
            if (plain.empty())
                plain = got;
            QVERIFY2(sameBits(plain, got), "the paths and cuts differ");
        }
    }
    double error = 0, norm = 0;
    int worst = 0;
    std::int64_t different = 0, changed = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double x = double(toFloat(plain[i])), y = double(toFloat(wanted[i]));
        error += (x - y) * (x - y);
        norm += y * y;
        changed += std::memcmp(&wanted[i], &before[i], sizeof(T)) != 0;
        if (std::memcmp(&wanted[i], &plain[i], sizeof(T)) == 0)
            continue;
        ++different;
        // An element that the reference left alone may not differ at all.
        QVERIFY2(std::memcmp(&wanted[i], &before[i], sizeof(T)) != 0, qPrintable(QString("element %1 was written").arg(i)));
        // Where two products of size 1 cancel, their float errors exceed the 16-bit spacing of what is left.
        if constexpr (sizeof(T) == 2)
            worst = std::max(worst, std::abs(x - y) < 1e-6 ? 0 : ulps(wanted[i], plain[i]));
    }
    if (sizeof(T) == 2) {
        QVERIFY2(worst <= 1, qPrintable(QString("%1 ulp").arg(worst)));
        QVERIFY2(different * 1000 <= std::max<std::int64_t>(changed, 3000), qPrintable(QString("%1 of %2").arg(different).arg(changed)));
    } else {
        QVERIFY(error <= 9e-14 * norm);  // 3e−7 of the norm
    }
    if (c.batch * c.tokens * c.queryHeads * c.rotaryDim > 0)
        QVERIFY(changed > 0);
}

template <typename T>
void compareRoundTrip(const RotaryCase& c, Pairing pairing, Dtype dtype, std::int64_t allowed)
{
    RotaryData<T> data(c, pairing, dtype, true);
    const std::vector<T> before = data.input;
    rotate(data.params);
    data.params.direction = Direction::Backward;
    rotate(data.params);
    // The error of a rotated pair is relative to its length, so units are those of the longer member.
    for (std::size_t i = 0; i < before.size(); ++i) {
        const float error = std::abs(toFloat(before[i]) - toFloat(data.input[i]));
        T one = before[i], next = one;
        fromFloat(std::max(1.0f, std::abs(toFloat(one))), one);
        std::memcpy(&next, &one, sizeof(T));
        if constexpr (sizeof(T) == 2)
            ++next.bits;
        else
            next = std::nextafter(one, 1e30f);
        QVERIFY2(error <= float(allowed) * (toFloat(next) - toFloat(one)), qPrintable(QString("element %1 is off by %2").arg(i).arg(error)));
    }
}

// NaNs of any bits and infinities in values and in tables: whatever IEEE arithmetic makes of a plane, on every path.
template <typename T>
void checkNonFinite(Pairing pairing, int headDim, Dtype dtype)
{
    const float strange[] = {NAN, -NAN, INFINITY, -INFINITY, floatOf(0x7fffffffu), floatOf(0xffffffffu), floatOf(0x7f80ffffu), floatOf(0x7fbfffffu)};
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (!available(isa))
            continue;
        for (const float value : strange) {
            for (int plane = 0; plane < headDim / 2; ++plane) {
                for (int place = 0; place < 4; ++place) {  // in x0, x1, the cosine, the sine
                    RotaryData<T> data({"", 1, 1, 1, 1, headDim, headDim, Layout::Packed, true, 0, false, false, 1}, pairing, dtype);
                    T* q = static_cast<T*>(data.params.group[0].output);
                    const int i0 = pairing == Pairing::HalfSplit ? plane : 2 * plane;
                    const int i1 = pairing == Pairing::HalfSplit ? plane + headDim / 2 : 2 * plane + 1;
                    if (place < 2) {
                        fromFloat(value, q[place == 0 ? i0 : i1]);
                    } else {
                        std::vector<float>& table = place == 2 ? data.cosines : data.sines;
                        table[std::size_t(data.params.positions.offset * (headDim / 2) + plane)] = value;
                    }
                    rotate(data.params, serialFor, isa);
                    for (int i = 0; i < headDim; ++i) {
                        const float x = toFloat(q[i]);
                        const bool wanted = i != i0 && i != i1 ? std::isfinite(x) : std::isnan(value) ? std::isnan(x) : std::isinf(x);
                        QVERIFY2(wanted, qPrintable(QString("%1, plane %2, place %3: element %4 is %5").arg(value).arg(plane).arg(place).arg(i).arg(x)));
                    }
                }
            }
        }
    }
}

}  // namespace

class TestRotary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void matchesReference_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("pairing");
        const std::vector<RotaryCase> cases = rotaryCases();
        const char* types[] = {"fp32", "bf16", "fp16", "fp64"};
        for (std::size_t i = 0; i < cases.size(); ++i) {
            for (int dtype = 0; dtype < 4; ++dtype) {
                for (int pairing = 0; pairing < 2; ++pairing)
                    QTest::addRow("%s, %s, %s", cases[i].name.c_str(), types[dtype], pairing ? "interleaved" : "half-split")
                        << int(i) << dtype << pairing;
            }
        }
    }
    void matchesReference()
    {
        QFETCH(int, index);
        QFETCH(int, dtype);
        QFETCH(int, pairing);
        const RotaryCase c = rotaryCases()[std::size_t(index)];
        for (const Direction direction : {Direction::Forward, Direction::Backward}) {
            switch (Dtype(dtype)) {
            case Dtype::Float32:
                compareWithReference<float>(c, Pairing(pairing), direction, Dtype::Float32);
                break;
            case Dtype::BFloat16:
                compareWithReference<BFloat16>(c, Pairing(pairing), direction, Dtype::BFloat16);
                break;
            case Dtype::Float16:
                compareWithReference<Float16>(c, Pairing(pairing), direction, Dtype::Float16);
                break;
            case Dtype::Float64:
                compareWithReference<double>(c, Pairing(pairing), direction, Dtype::Float64);
                break;
            }
            if (QTest::currentTestFailed())
                return;
        }
    }

    void backwardIsTranspose()
    {
        // ⟨R x, y⟩ = ⟨x, Rᵀ y⟩ for tables of any values.
        for (const Pairing pairing : {Pairing::HalfSplit, Pairing::Interleaved}) {
            const RotaryCase c{"", 2, 6, 3, 2, 40, 24};
            RotaryData<double> x(c, pairing, Dtype::Float64), y(c, pairing, Dtype::Float64);
            const std::vector<float> other = normals(y.input.size(), 99, "other");
            y.input.assign(other.begin(), other.end());
            const std::vector<double> x0 = x.input, y0 = y.input;
            y.params.direction = Direction::Backward;
            rotate(x.params);
            rotate(y.params);
            double left = 0, right = 0, size = 0;
            for (std::size_t i = 0; i < x0.size(); ++i) {
                left += x.input[i] * y0[i];
                right += x0[i] * y.input[i];
                size += std::abs(x0[i] * y.input[i]);
            }
            QVERIFY(std::abs(left - right) < 1e-13 * size);
            QVERIFY(x.input != x0 && y.input != y0);
        }
    }

    void backwardUndoesForward()
    {
        const RotaryCase c{"", 4, 40, 4, 4, 64, 64};
        for (const Pairing pairing : {Pairing::HalfSplit, Pairing::Interleaved}) {
            compareRoundTrip<float>(c, pairing, Dtype::Float32, 4);
            compareRoundTrip<BFloat16>(c, pairing, Dtype::BFloat16, 2);
        }
    }

    void nonFiniteValuesStay()
    {
        for (const Pairing pairing : {Pairing::HalfSplit, Pairing::Interleaved}) {
            for (const int headDim : {16, 72}) {
                checkNonFinite<float>(pairing, headDim, Dtype::Float32);
                checkNonFinite<BFloat16>(pairing, headDim, Dtype::BFloat16);
                checkNonFinite<Float16>(pairing, headDim, Dtype::Float16);
            }
        }
    }

    void problemsAreNamed_data()
    {
        QTest::addColumn<QString>("part");
        for (const char* part : {"heads is -1", "rotaryDim is 7", "rotaryDim is 66", "headDim is 0", "groups is 5", "position of batch row 0",
                 "ladder of head 1 is 3", "planes", "null", "different strides", "batch and tokens"})
            QTest::addRow("%s", part) << part;
    }
    void problemsAreNamed()
    {
        QFETCH(QString, part);
        RotaryData<float> data({"", 2, 5, 3, 3, 64, 64}, Pairing::HalfSplit, Dtype::Float32);
        const std::vector<float> before = data.input;
        RotaryParams p = data.params;
        if (part == "heads is -1")
            p.group[1].heads = -1;
        else if (part == "rotaryDim is 7")
            p.rotaryDim = 7;
        else if (part == "rotaryDim is 66")
            p.rotaryDim = 66;
        else if (part == "headDim is 0")
            p.headDim = 0;
        else if (part == "groups is 5")
            p.groups = 5;
        else if (part == "position of batch row 0")
            p.positions.offset = RotaryData<float>::kRows - 4;
        else if (part == "ladder of head 1 is 3")
            data.queryLadders[1] = 3;
        else if (part == "planes")
            p.group[0].tables.planes = 31;
        else if (part == "null")
            p.group[0].input = nullptr;
        else if (part == "different strides")
            p.group[0].inputHead += 1;
        else
            p.batch = -1;
        for (const auto& call : {+[](const RotaryParams& x) { rotate(x); }, +[](const RotaryParams& x) { rotateReference(x); }}) {
            try {
                call(p);
                QFAIL("was accepted");
            } catch (const std::invalid_argument& e) {
                QVERIFY2(QString(e.what()).contains(part), e.what());
            }
        }
        QVERIFY(sameBits(before, data.input));
    }

    void pathsThatAreMissingAreRefused()
    {
        RotaryData<float> data({"", 1, 1, 1, 1, 16, 16}, Pairing::HalfSplit, Dtype::Float32);
        for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
            if (!available(isa))
                QVERIFY_EXCEPTION_THROWN(rotate(data.params, serialFor, isa), std::invalid_argument);
        }
        QVERIFY(available(rotaryPath(data.params)));
    }

    void costCountsEveryByteOnce()
    {
        RotaryData<BFloat16> inPlace({"", 2, 5, 8, 2, 64, 16}, Pairing::HalfSplit, Dtype::BFloat16);
        QCOMPARE(rotaryCost(inPlace.params).bytesRead, 2.0 * 5 * 10 * 16 * 2);
        QCOMPARE(rotaryCost(inPlace.params).flops, 2.0 * 5 * 10 * 8 * 6);
        RotaryData<BFloat16> moved({"", 2, 5, 8, 2, 64, 16, Layout::Packed, false}, Pairing::HalfSplit, Dtype::BFloat16);
        QCOMPARE(rotaryCost(moved.params).bytesWritten, 2.0 * 5 * 10 * 64 * 2);
    }
};

QTEST_APPLESS_MAIN(TestRotary)
#include "tst_kernels_rotary.moc"
