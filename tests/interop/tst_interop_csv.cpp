#include <QtTest>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/interop/curve_import.h"

using namespace holo;
using namespace holo::interop;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

class TestCsv : public QObject {
    Q_OBJECT

private:
    static bool refused(const std::string& text, std::string* message = nullptr)
    {
        try {
            parseCsv(text, "t.csv");
            return false;
        } catch (const Error& e) {
            if (message)
                *message = e.what();
            return e.kind() == ErrorKind::Malformed;
        }
    }

private Q_SLOTS:
    void writesTheSameInEveryLocale()
    {
        const CsvTable grid = wideTable("depth", {0, 0.5, 1}, {64, 128}, {{1, 0.1}, {kNan, kInf}, {-kInf, 1e-300}});
        const std::string expected = "depth,64,128\n0,1,0.1\n0.5,nan,inf\n1,-inf,1e-300\n";
        for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
            std::setlocale(LC_ALL, locale);  // absent ones leave the last in place
            QCOMPARE(writeCsv(grid), expected);
        }
        std::setlocale(LC_ALL, "C");
        QCOMPARE(writeCsv(wideTable("d", {0}, {1}, {{kNan}}, true)), std::string("d,1\n0,\n"));
        QCOMPARE(csvCell("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvCell("say \"x\""), std::string("\"say \"\"x\"\"\""));
        QCOMPARE(csvCell(" a"), std::string("\" a\""));
        QCOMPARE(csvCell("größe"), std::string("größe"));
    }

    void readsWhatItWrites()
    {
        CsvTable table;
        table.columns = {"a", "b,c", "d\"e"};
        table.rows = {{"1", "", "x\ny"}, {"", " ", "\"\""}, {"ü", "\r\n", ","}};
        const CsvTable back = parseCsv(writeCsv(table), "t");
        QCOMPARE(back.columns, table.columns);
        QCOMPARE(back.rows, table.rows);
        const CsvTable windows = parseCsv("\xEF\xBB\xBF" "a,b\r\n1,\"2\"\r\n\r\n3,4", "t");
        QCOMPARE(windows.columns, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(windows.rows, (std::vector<std::vector<std::string>>{{"1", "2"}, {"3", "4"}}));
        QCOMPARE(windows.column("b"), 1);
        QCOMPARE(windows.column("c"), -1);
    }

    void refusesBrokenTables()
    {
        std::string message;
        QVERIFY(refused("a,b\n1,2\n3\n", &message));
        QVERIFY2(message.find("line 3") != std::string::npos, message.c_str());
        for (const char* text : {"", "a,b\n1,2,3\n", "a,a\n1,2\n", "a\n\"x\n", "a\nx\"y\n", "a\n\"x\"y\n", "a\n\xFF\n"})
            QVERIFY2(refused(text), text);
    }

    void importsCurves()
    {
        // A chart exported by Weights & Biases.
        const ImportedCurves wandb = curvesFromCsv(parseCsv("\"Step\",\"run a - loss\",\"run a - loss__MIN\",\"run a - loss__MAX\",\"b - c - loss\"\n2,1.5,1,2,\n1,\"2.5\",2,3,NaN\n", "w"), "w");
        QCOMPARE(wandb.curves.size(), std::size_t(2));
        QCOMPARE(wandb.curves[0].run, std::string("b - c"));
        QVERIFY(std::isnan(wandb.curves[0].points.at(0).second));
        QCOMPARE(wandb.curves[1].run, std::string("run a"));
        QCOMPARE(wandb.curves[1].metric, std::string("loss"));
        QCOMPARE(wandb.curves[1].points, (std::vector<std::pair<double, double>>{{1, 2.5}, {2, 1.5}}));
        QCOMPARE(wandb.notes.size(), std::size_t(1));

        // A table with a run in each row, as trackio's are.
        const ImportedCurves rows = curvesFromCsv(parseCsv("timestamp,run_name,step,loss,acc\n2026-01-01T00:00:00,x,0,3,0.5\n2026-01-01T00:00:01,y,0,4,inf\n2026-01-01T00:00:02,x,1,2,\n", "t"), "t");
        QCOMPARE(rows.curves.size(), std::size_t(4));
        QCOMPARE(rows.curves[1].metric, std::string("loss"));
        QCOMPARE(rows.curves[1].points.size(), std::size_t(2));
        QCOMPARE(rows.notes.size(), std::size_t(1));

        const ImportedCurves longForm = curvesFromCsv(parseCsv("run_uuid,key,value,timestamp,step\nu,loss,1e-3,5,7\nu,loss,2e-3,6,7\n", "m"), "m");
        QCOMPARE(longForm.curves.at(0).points, (std::vector<std::pair<double, double>>{{7, 2e-3}}));

        for (const char* text : {"a,b\n1,2\n", "step,loss\n", "step,loss\n1,\"2,5\"\n2,3\n", "step,loss\nx,1\n", "step,loss\n1,2x\n2,3\n", "step,key,value\n1,loss,abc\n", "step,name\n1,x\n"}) {
            try {
                curvesFromCsv(parseCsv(text, "bad"), "bad");
                QFAIL(text);
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
    }

    void mutatedTablesOnlyEverThrow()
    {
        std::mt19937 random(37);
        const std::string good = "Step,\"a - loss\",b\n1,2.5,\"x,\"\"y\"\n2,nan,3\n";
        for (int trial = 0; trial < 3000; ++trial) {
            std::string text = good;
            for (int edits = 1 + int(random() % 4); edits > 0; --edits)
                text[random() % text.size()] = ",\"\n\r1a\xC3 .-"[random() % 10];
            try {
                curvesFromCsv(parseCsv(text, "fuzz"), "fuzz");
            } catch (const Error& e) {
                QCOMPARE(e.kind(), ErrorKind::Malformed);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestCsv)
#include "tst_interop_csv.moc"
