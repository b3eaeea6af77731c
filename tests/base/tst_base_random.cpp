#include <cmath>
#include <set>
#include <vector>

#include <QtTest>

#include "core/base/random.h"

using holo::RandomStream;

class TestBaseRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void philoxKnownAnswers()
    {
        // Random123, kat_vectors, philox4x32 10
        using A = std::array<std::uint32_t, 4>;
        QVERIFY((holo::philox({0, 0, 0, 0}, {0, 0}) == A{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QVERIFY((holo::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == A{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QVERIFY((holo::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) == A{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    void seekingEqualsReading()
    {
        RandomStream a(7, "test", {1, 2});
        std::vector<std::uint32_t> words(100);
        for (auto& w : words)
            w = a.next32();
        for (const std::uint64_t position : {0u, 1u, 3u, 4u, 5u, 42u, 99u}) {
            RandomStream b(7, "test", {1, 2});
            b.seek(position);
            QCOMPARE(b.next32(), words[position]);
        }
    }

    void streamsDiffer()
    {
        // Neighbouring seeds, purposes and indices, and index lists that a sum or a concatenation would confuse.
        std::set<std::uint64_t> firsts;
        int streams = 0;
        const auto add = [&](RandomStream s) { firsts.insert(s.next64()), ++streams; };
        for (std::uint64_t seed = 0; seed < 50; ++seed)
            for (const char* purpose : {"init", "order", "init2", ""})
                for (std::uint64_t i = 0; i < 10; ++i) {
                    add(RandomStream(seed, purpose, {i}));
                    add(RandomStream(seed, purpose, {i, 0}));
                    add(RandomStream(seed, purpose, {0, i + 1, 3}));
                }
        QCOMPARE(int(firsts.size()), streams);
    }

    void momentsAreRight()
    {
        RandomStream s(3, "moments");
        const int n = 200000;
        double sum = 0, square = 0, normalSum = 0, normalSquare = 0, normalFourth = 0;
        for (int i = 0; i < n; ++i) {
            const double u = s.uniform(), z = s.normal();
            sum += u, square += u * u, normalSum += z, normalSquare += z * z, normalFourth += z * z * z * z;
        }
        QVERIFY(std::abs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
        QVERIFY(std::abs(square / n - 1.0 / 3) < 0.005);
        QVERIFY(std::abs(normalSum / n) < 5 / std::sqrt(double(n)));
        QVERIFY(std::abs(normalSquare / n - 1) < 0.02);
        QVERIFY(std::abs(normalFourth / n - 3) < 0.1);
    }

    void belowIsUniform()
    {
        RandomStream s(5, "below");
        std::vector<int> counts(7);
        for (int i = 0; i < 70000; ++i)
            ++counts[s.below(7)];
        for (const int c : counts)
            QVERIFY(std::abs(c - 10000) < 500);
        QCOMPARE(s.below(1), std::uint64_t(0));
    }
};

QTEST_APPLESS_MAIN(TestBaseRandom)
#include "tst_base_random.moc"
