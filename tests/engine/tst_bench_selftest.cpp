// The self-test passes on this machine, and notices kernels that were given a wrong table.
#include <cmath>

#include <QtTest>

#include "core/bench/selftest.h"
#include "kernels/common/isa.h"

using namespace holo;
using bench::Row;
using bench::SelftestOptions;
using bench::TableSet;

class TestBenchSelftest : public QObject {
    Q_OBJECT

    static QString failures(const std::vector<Row>& rows)
    {
        QString text;
        for (const Row& row : rows)
            if (row.pass == false)
                text += QString::fromStdString(dumpLine(bench::toJson(row))) + '\n';
        return text;
    }

    static int count(const std::vector<Row>& rows, const std::string& name, const std::string& part)
    {
        return int(std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
            return row.name.find(name) != std::string::npos && row.variant.find(part) != std::string::npos && row.pass.has_value();
        }));
    }

    static void fails(std::vector<Row> (*part)(const SelftestOptions&), const std::function<void(TableSet&)>& distort)
    {
        SelftestOptions options;
        options.distort = distort;
        QVERIFY(bench::anyFailed(part(options)));
    }

private Q_SLOTS:
    void rotaryPassesOnThisMachine()
    {
        const auto rows = bench::selftestRotary({});
        QVERIFY2(!bench::anyFailed(rows), qPrintable(failures(rows)));
        // Every available path with every storage type and pairing, both directions.
        for (const auto path : {kernels::Isa::Plain, kernels::Isa::Avx2, kernels::Isa::Avx512}) {
            const std::string name(kernels::isaName(path));
            for (const char* type : {"fp32", "bf16", "fp16"})
                for (const char* pairing : {"half", "interleaved"}) {
                    const std::string variant = std::string(type) + " " + pairing + " " + name;
                    QVERIFY2(count(rows, "rotary forward", variant) >= (kernels::available(path) ? 1 : 0), variant.c_str());
                    QCOMPARE(count(rows, "rotary backward", variant), kernels::available(path) ? 1 : 0);
                    QCOMPARE(count(rows, "rotary there and back", variant), kernels::available(path) ? 1 : 0);
                    QCOMPARE(count(rows, "rotary same bits", variant), kernels::available(path) ? 1 : 0);
                }
        }
    }

    void attentionPassesOnThisMachine()
    {
        const auto rows = bench::selftestAttention({});
        QVERIFY2(!bench::anyFailed(rows), qPrintable(failures(rows)));
        QCOMPARE(count(rows, "attention forward", "fp32 half plain"), 2);
        QCOMPARE(count(rows, "attention backward", "bf16 interleaved plain"), 2);
    }

    void modelPassesOnThisMachine()
    {
        const auto rows = bench::selftestModel({});
        QVERIFY2(!bench::anyFailed(rows), qPrintable(failures(rows)));
        QCOMPARE(count(rows, "finite differences", ""), 2);
        QCOMPARE(count(rows, "gradients vs float64", ""), 2);
    }

    void wrongTablesAreNoticed_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("rows shifted by one") << 0;
        QTest::newRow("angles off by a hundred-thousandth") << 1;
        QTest::newRow("sines negated") << 2;
        QTest::newRow("one entry not a number") << 3;
        QTest::newRow("ladders exchanged") << 4;
        QTest::newRow("angles as inexact as in float") << 5;
    }

    void wrongTablesAreNoticed()
    {
        QFETCH(int, fault);
        const auto distort = [fault](TableSet& tables) {
            const std::size_t row = std::size_t(tables.planes);
            const std::size_t half = tables.cosines.size() / 2;
            for (std::vector<float>* table : {&tables.cosines, &tables.sines}) {
                auto& values = *table;
                if (fault == 0)
                    std::rotate(values.begin(), values.begin() + std::ptrdiff_t(row), values.end());
                if (fault == 3)
                    values[half - 1] = std::nanf("");
                if (fault == 4)
                    std::rotate(values.begin(), values.begin() + std::ptrdiff_t(half), values.end());
            }
            for (std::size_t i = 0; i < tables.sines.size(); ++i) {
                if (fault == 2)
                    tables.sines[i] = -tables.sines[i];
                if (fault == 1 || fault == 5) {
                    // Turns every angle a little, as a product rounded to float would at large positions.
                    const double angle = std::atan2(double(tables.sines[i]), double(tables.cosines[i])) + (fault == 1 ? 1e-5 : 3e-6 * double(i % 7));
                    tables.cosines[i] = float(std::cos(angle));
                    tables.sines[i] = float(std::sin(angle));
                }
            }
        };
        fails(bench::selftestRotary, distort);
        if (fault != 1 && fault != 5)  // q and k turned alike score alike
            fails(bench::selftestAttention, distort);
    }
};

QTEST_APPLESS_MAIN(TestBenchSelftest)
#include "tst_bench_selftest.moc"
