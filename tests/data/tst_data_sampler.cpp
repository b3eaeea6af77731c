#include <QtTest>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/data/corpus.h"

using namespace holo;
using namespace holo::data;

class TestSampler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEpochUsesEachWindowOnce()
    {
        for (const std::int64_t windows : {1, 2, 3, 4, 5, 16, 17, 100, 1023, 1025, 13000}) {
            const Sampler sampler(windows, 3);
            for (const std::int64_t epoch : {0, 1, 5}) {
                std::vector<bool> seen(std::size_t(windows), false);
                for (std::int64_t k = 0; k < windows; ++k) {
                    const std::int64_t window = sampler.at(epoch * windows + k);
                    QVERIFY(window >= 0 && window < windows);
                    QVERIFY2(!seen[std::size_t(window)], qPrintable(QString("window %1 of %2 twice").arg(window).arg(windows)));
                    seen[std::size_t(window)] = true;
                }
                QCOMPARE(sampler.epoch(epoch * windows), epoch);
            }
        }
    }

    void isAPureFunctionOfSeedAndPosition()
    {
        const Sampler a(13000, 7);
        const Sampler b(13000, 7);
        const std::int64_t late = a.at(25999);
        for (std::int64_t k = 0; k < 100; ++k)
            QCOMPARE(a.at(k), b.at(k));
        QCOMPARE(b.at(25999), late);
    }

    void seedsAndEpochsShareNoOrder()
    {
        const std::int64_t n = 4096;
        const Sampler one(n, 1);
        const Sampler two(n, 2);
        int sameSeed = 0;
        int sameEpoch = 0;
        int follows = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            sameSeed += one.at(k) == two.at(k);
            sameEpoch += one.at(k) == one.at(n + k);
            follows += one.at(n + k) == (one.at(k) + one.at(n) - one.at(0) + n) % n;
        }
        // Random permutations agree in one place on average (Poisson).
        QVERIFY2(sameSeed <= 8, qPrintable(QString::number(sameSeed)));
        QVERIFY2(sameEpoch <= 8, qPrintable(QString::number(sameEpoch)));
        QVERIFY2(follows <= 8, qPrintable(QString::number(follows)));
    }

    void anOrderHasNoTrend()
    {
        const std::int64_t n = 13000;
        const Sampler sampler(n, 11);
        double sum = 0;
        double squares = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            const double difference = double(sampler.at(k)) - double(k);
            sum += difference;
            squares += difference * difference;
        }
        QCOMPARE(sum, 0.0);
        // Spearman's ρ = 1 − 6Σd²/(n(n²−1)) has standard deviation 1/√(n−1).
        const double rho = 1 - 6 * squares / (double(n) * (double(n) * double(n) - 1));
        QVERIFY2(std::abs(rho) < 4 / std::sqrt(double(n)), qPrintable(QString::number(rho)));
    }

    void largeCountsStayInside()
    {
        const std::int64_t n = 5'000'000'000'000'000;
        const Sampler sampler(n, 1);
        std::set<std::int64_t> seen;
        for (std::int64_t k = 0; k < 1000; ++k)
            seen.insert(sampler.at(n - 1 - k));
        QCOMPARE(seen.size(), std::size_t(1000));
        QVERIFY(*seen.begin() >= 0 && *seen.rbegin() < n);
    }

    void refusesNothingToDrawFrom()
    {
        QVERIFY_THROWS_EXCEPTION(Error, Sampler(0, 1));
        QVERIFY_THROWS_EXCEPTION(Error, Sampler(5, 1).at(-1));
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_data_sampler.moc"
