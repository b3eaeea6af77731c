// Arithmetic of rows and timings, on clocks and values made up here.
#include <cmath>
#include <limits>

#include <QtTest>

#include "core/bench/row.h"
#include "core/bench/timing.h"
#include "core/bench/ulp.h"
#include "kernels/common/half.h"

using namespace holo;
using bench::Row;
using kernels::Dtype;

class TestBenchTiming : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mediansAndSpread()
    {
        const bench::Samples odd{"odd", {3, 1, 2}};
        QCOMPARE(odd.median(), 2.0);
        QCOMPARE(odd.min(), 1.0);
        QCOMPARE(odd.max(), 3.0);
        const bench::Samples even{"even", {4, 1, 3, 2}};
        QCOMPARE(even.median(), 2.5);
        const Json spread = even.spread(1000);
        QCOMPARE(spread["min"].get<double>(), 1000.0);
        QCOMPARE(spread["median"].get<double>(), 2500.0);
        QCOMPARE(spread["max"].get<double>(), 4000.0);
        QCOMPARE(spread["rounds"].get<int>(), 4);
        QCOMPARE(bench::ratio(odd, even), 0.8);
    }

    // A fake clock that only the variants move on: every sample is what its variant says, whatever the order of the round.
    void variantsTakeTurns()
    {
        double now = 100;
        std::string order;
        const auto takes = [&](char name, double seconds) { return [&now, &order, name, seconds] { now += seconds; order += name; }; };
        const auto samples = bench::interleave({{"a", takes('a', 0.5), 1}, {"b", takes('b', 0.25), 2}, {"c", takes('c', 2.0), 1}}, 4, [&] { return now; });
        QCOMPARE(order, std::string("abc" "abbc" "bbca" "cabb" "abbc"));
        QCOMPARE(samples.size(), std::size_t(3));
        for (const auto& s : samples)
            QCOMPARE(s.seconds.size(), std::size_t(4));
        QCOMPARE(samples[0].median(), 0.5);
        QCOMPARE(samples[1].median(), 0.25);
        QCOMPARE(samples[2].median(), 2.0);
    }

    // A slow spell of the machine in one round does not reach the medians.
    void aSlowRoundChangesNothing()
    {
        double now = 0;
        int calls = 0;
        const auto slowAtTheThird = [&](double seconds) { return [&now, &calls, seconds] { now += (++calls > 6 && calls < 9 ? 50 : 1) * seconds; }; };
        const auto samples = bench::interleave({{"a", slowAtTheThird(3), 1}, {"b", slowAtTheThird(2), 1}}, 5, [&] { return now; });
        QCOMPARE(bench::ratio(samples[0], samples[1]), 1.5);
        QVERIFY(samples[0].max() > 100);
    }

    void shortCallsAreRepeated()
    {
        double now = 0;
        int calls = 0;
        bench::interleave({{"a", [&] { now += 1e-4; ++calls; }}}, 3, [&] { return now; });
        QCOMPARE(calls, 2 + 3 * 20);  // warm-up, trial, and 2 ms a round
    }

    void speedsAndTimesGiveTheirRatios()
    {
        const bench::Samples ours{"ours", {0.5, 0.5, 0.5}};
        const bench::Samples theirs{"theirs", {2, 2, 2}};
        const Row speed = bench::speedRow("name", "variant", 10, ours, theirs, "GB/s", bench::atLeast(3.5), "cpu");
        QCOMPARE(speed.value, 20.0);
        QCOMPARE(*speed.reference, 5.0);
        QCOMPARE(*speed.ratio, 4.0);
        QVERIFY(*speed.pass);
        QVERIFY(!*bench::speedRow("name", "variant", 10, ours, theirs, "GB/s", bench::atLeast(4.5), "cpu").pass);
        const Row time = bench::timeRow("name", "variant", ours, theirs, bench::atMost(0.2), "cpu");
        QCOMPARE(time.value, 500.0);
        QCOMPARE(*time.reference, 2000.0);
        QCOMPARE(*time.ratio, 0.25);
        QVERIFY(!*time.pass);
    }

    void rowsHaveTheDocumentedFields()
    {
        const auto keys = {"name", "variant", "value", "unit", "reference", "ratio", "goal", "pass", "device"};
        Row judged = bench::ratioRow("n", "v", 6, 3, "GB/s", bench::atLeast(1.5), "cpu", "note");
        judged.details["max_error"] = 1;
        const Json json = bench::toJson(judged);
        for (const char* key : keys)
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json["ratio"].get<double>(), 2.0);
        QCOMPARE(json["goal"].get<std::string>(), std::string(">= 1.5"));
        QCOMPARE(json["pass"].get<bool>(), true);
        QCOMPARE(json["max_error"].get<int>(), 1);

        const Json skipped = bench::toJson(bench::skipped("n", "v", "cuda", "no device"));
        for (const char* key : keys)
            QVERIFY2(skipped.contains(key), key);
        QVERIFY(skipped["pass"].is_null());
        QVERIFY(skipped["value"].is_null());
        QCOMPARE(skipped["note"].get<std::string>(), std::string("skipped, no device"));
    }

    void anUnknownValueNeverPasses()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const bench::Goal goal : {bench::atMost(1), bench::atLeast(1)}) {
            const Row row = bench::valueRow("n", "v", nan, "", goal, "cpu");
            QVERIFY(row.pass && !*row.pass);
            QVERIFY(bench::anyFailed({row}));
            QCOMPARE(bench::toJson(row)["value"].get<std::string>(), std::string("nan"));
        }
        QVERIFY(!bench::anyFailed({bench::skipped("n", "v", "cuda", "no device"), bench::valueRow("n", "v", 1, "", {}, "cpu")}));
    }

    // The kernels' own conversions are another way to the same rounding.
    void roundingAgreesWithTheStorageTypes()
    {
        for (int i = 0; i < 65536; ++i) {
            const float nearby = kernels::floatOf((std::uint32_t(i) << 16) + 0x7ffeu + std::uint32_t(i % 5));
            if (!std::isfinite(nearby))
                continue;
            kernels::BFloat16 b;
            kernels::fromFloat(nearby, b);
            if (std::isfinite(kernels::toFloat(b)))
                QCOMPARE(bench::rounded(Dtype::BFloat16, nearby), double(kernels::toFloat(b)));
            kernels::Float16 h;
            kernels::fromFloat(nearby, h);
            if (std::isfinite(kernels::toFloat(h)))
                QCOMPARE(bench::rounded(Dtype::Float16, nearby), double(kernels::toFloat(h)));
        }
        QCOMPARE(bench::ulpAt(Dtype::Float32, 1.0), 0x1p-23);
        QCOMPARE(bench::ulpAt(Dtype::BFloat16, 1.99), 0x1p-7);
        QCOMPARE(bench::ulpAt(Dtype::Float16, 0.0), 0x1p-24);
    }

    void errorsAreCountedByUlp()
    {
        bench::ErrorCount errors(Dtype::BFloat16);
        errors.add(1.0, 1.001, 1);             // rounds to 1: exact
        errors.add(1.0 + 0x1p-7, 1.0, 1);      // one
        errors.add(1.0 + 0x1p-6, 1.0, 1);      // two
        errors.add(1.0 + 0x1p-5, 1.0, 1);      // four
        const Json json = errors.json();
        QCOMPARE(json["ulp"]["exact"].get<int>(), 1);
        QCOMPARE(json["ulp"]["one"].get<int>(), 1);
        QCOMPARE(json["ulp"]["two"].get<int>(), 1);
        QCOMPARE(json["ulp"]["more"].get<int>(), 1);
        QCOMPARE(errors.worstUlp(), 4.0);
        QCOMPARE(errors.exactShare(), 0.25);
        QCOMPARE(errors.worstError(), 0x1p-5);
        errors.add(std::numeric_limits<double>::quiet_NaN(), 1.0, 1);
        QVERIFY(std::isnan(errors.worstUlp()));
        QVERIFY(!(errors.normError() <= 1));
    }
};

QTEST_APPLESS_MAIN(TestBenchTiming)
#include "tst_bench_timing.moc"
