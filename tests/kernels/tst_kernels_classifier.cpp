#include "kernels/classifier/classifier.h"
#include "tests/kernels/values.h"

#include <QTest>

#include <stdexcept>

using namespace holo::kernels;
using namespace holo::kernels::test;

namespace {

std::vector<std::int64_t> targetsFor(std::int64_t rows, std::int64_t vocabulary)
{
    std::vector<std::int64_t> targets(static_cast<std::size_t>(rows));
    for (std::size_t r = 0; r < targets.size(); ++r)
        targets[r] = r % 5 == 3 ? -1 : std::int64_t(r * 7919) % vocabulary;
    return targets;
}

template <typename T>
void check(std::int64_t rows, std::int64_t vocabulary)
{
    const std::vector<T> logits = stored<T>(normals(std::size_t(rows * vocabulary), 1, "logits", 4));
    const std::vector<std::int64_t> targets = targetsFor(rows, vocabulary);
    double loss = 0;
    std::vector<double> gradient(logits.size(), 0);
    for (std::int64_t r = 0; r < rows; ++r) {
        if (targets[std::size_t(r)] < 0)
            continue;
        const std::size_t row = std::size_t(r * vocabulary);
        double top = -1e300, sum = 0;
        for (std::int64_t j = 0; j < vocabulary; ++j)
            top = std::max(top, double(toFloat(logits[row + std::size_t(j)])));
        for (std::int64_t j = 0; j < vocabulary; ++j)
            sum += std::exp(double(toFloat(logits[row + std::size_t(j)])) - top);
        const std::size_t own = row + std::size_t(targets[std::size_t(r)]);
        loss += std::log(sum) - (double(toFloat(logits[own])) - top);
        for (std::int64_t j = 0; j < vocabulary; ++j)
            gradient[row + std::size_t(j)] = std::exp(double(toFloat(logits[row + std::size_t(j)])) - top) / sum;
        gradient[own] -= 1;
    }
    for (const Isa isa : {Isa::Plain, Isa::Avx2, Isa::Avx512}) {
        if (!available(isa))
            continue;
        std::vector<T> first;
        double firstLoss = 0;
        for (const ParallelFor& cut : {ParallelFor(serialFor), ParallelFor(backwardsFor), ParallelFor(thirdsFor)}) {
            std::vector<T> data = logits;
            ClassifierParams params{rows, vocabulary, sizeof(T) == 4 ? Dtype::Float32 : Dtype::BFloat16, data.data(), targets.data(), false};
            const double only = classifierLoss(params, cut, isa);
            QVERIFY2(std::memcmp(data.data(), logits.data(), data.size() * sizeof(T)) == 0, "logits changed without being asked for");
            params.gradient = true;
            const double got = classifierLoss(params, cut, isa);
            QCOMPARE(got, only);
            QVERIFY2(std::abs(got - loss) <= 1e-6 * std::max(1.0, loss), qPrintable(QString::number(got - loss)));
            for (std::size_t i = 0; i < data.size(); ++i)
                QVERIFY(std::abs(double(toFloat(data[i])) - gradient[i]) <= (sizeof(T) == 4 ? 1e-6 : 0.004) * std::max(0.01, std::abs(gradient[i])));
            if (first.empty()) {
                first = data;
                firstLoss = got;
            }
            QCOMPARE(got, firstLoss);
            QVERIFY(std::memcmp(data.data(), first.data(), data.size() * sizeof(T)) == 0);
        }
    }
}

}  // namespace

class KernelsClassifier : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void againstDouble_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("vocabulary");
        for (const auto& [rows, vocabulary] : {std::pair{0, 8}, {1, 1}, {4, 2}, {9, 31}, {40, 178}, {6, 5003}})
            QTest::addRow("%d rows of %d", rows, vocabulary) << rows << vocabulary;
    }

    void againstDouble()
    {
        QFETCH(int, rows);
        QFETCH(int, vocabulary);
        check<float>(rows, vocabulary);
        if (!QTest::currentTestFailed())
            check<BFloat16>(rows, vocabulary);
    }

    // A model that is nearly certain still has a gradient of the right size.
    void nearCertainty()
    {
        std::vector<float> logits(64, 0);
        logits[5] = 12;
        const std::int64_t target = 5;
        const double miss = 63 * std::exp(-12.0);
        const double loss = classifierLoss({1, 64, Dtype::Float32, logits.data(), &target, true});
        QVERIFY(std::abs(loss - std::log1p(miss)) < 2e-7);
        QVERIFY(std::abs(double(logits[5]) + miss / (1 + miss)) < 1e-3 * miss);
    }

    void nonFiniteLogitsShow()
    {
        for (const float bad : {NAN, INFINITY}) {
            std::vector<float> logits(40, 0);
            logits[33] = bad;
            const std::int64_t target = 1;
            QVERIFY(!std::isfinite(classifierLoss({1, 40, Dtype::Float32, logits.data(), &target, false})));
        }
    }

    void refusals()
    {
        std::vector<float> logits(16, 0);
        const std::int64_t inside = 3, outside = 8;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, classifierLoss({1, 8, Dtype::Float32, logits.data(), &outside, false}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, classifierLoss({1, 0, Dtype::Float32, logits.data(), &inside, false}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, classifierLoss({-1, 8, Dtype::Float32, logits.data(), &inside, false}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, classifierLoss({1, 8, Dtype::Float32, nullptr, &inside, false}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, classifierLoss({1, 8, Dtype::Float16, logits.data(), &inside, false}));
    }
};

QTEST_GUILESS_MAIN(KernelsClassifier)
#include "tst_kernels_classifier.moc"
