#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

#include "core/base/files.h"
#include "engine_process.h"

using namespace holo;
using namespace holo::test;

namespace {

bool isNear(const Json& value, double expected, double tolerance) { return std::abs(value.get<double>() - expected) <= tolerance; }

}  // namespace

class TestCliLadder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Worked numbers of the anti-periodic ladder, d = 8, N = 64 (arXiv 2607.21405).
    void theNumbersOfAMobiusLadder()
    {
        const Json doc = engine({"ladder", "mobius", "--head-dim", "8", "--context", "64", "--delta", "1,2,4,8,12,60,63,64,128", "--json"}).document();
        QCOMPARE(doc["format"].get<int>(), 1);
        const Json& ladder = doc["ladders"][0];
        const double theta[] = {.04908739, .14726216, .24543693, .34361170};
        const double c[] = {.974887, .901764, .640729, 0, -.224994, -.640729, -.974887, -1, 1};
        QCOMPARE(ladder["theta"].size(), std::size_t(4));
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(isNear(ladder["theta"][i], theta[i], 5e-9));
            QVERIFY(isNear(ladder["turns"][i], double(i) + .5, 1e-12));
            QVERIFY(isNear(ladder["period"][i], 128.0 / (2 * double(i) + 1), 1e-9));
            QVERIFY(isNear(ladder["holonomy"][i][0], -1, 1e-12));
            QVERIFY(isNear(ladder["holonomy"][i][1], 0, 1e-12));
        }
        for (std::size_t i = 0; i < 9; ++i)
            QVERIFY(isNear(ladder["kernel"]["c"][i], c[i], 5e-7));
        QVERIFY(isNear(ladder["summary"]["first_zero"], 8, 1e-6));
        QVERIFY(isNear(ladder["summary"]["at_context"], -1, 1e-12));
        QCOMPARE(ladder["undertrained"].size(), std::size_t(1));
        QVERIFY(isNear(ladder["temperature"], 1, 0));
    }

    // N = 2048, d = 64: half-width, first zero and interior of the ladder and its controls.
    void kernelFiguresOfTheArms_data()
    {
        QTest::addColumn<QString>("scheme");
        QTest::addColumn<double>("atContext");
        QTest::addColumn<double>("halfWidth");
        QTest::addColumn<double>("bulkRms");
        QTest::addColumn<double>("bulkMax");
        QTest::newRow("mobius") << "mobius" << -1.0 << 20. << .0125 << .0216;
        QTest::newRow("A") << "periodic:variant=A" << 1.0 << 19. << .0198 << .0365;
        QTest::newRow("B") << "periodic:variant=B" << 1.0 << 20. << .0202 << .0369;
        QTest::newRow("C1") << "band:variant=C1" << -.105 << 40. << .117 << .272;
        QTest::newRow("C2") << "band:variant=C2" << -.046 << 20. << .101 << .264;
        QTest::newRow("standard") << "standard" << -.040 << 28. << .199 << .414;
    }

    void kernelFiguresOfTheArms()
    {
        QFETCH(QString, scheme);
        QFETCH(double, atContext);
        QFETCH(double, halfWidth);
        QFETCH(double, bulkRms);
        QFETCH(double, bulkMax);
        const Json doc = engine({"ladder", scheme, "--context", "2048", "--json"}).document();
        const Json& summary = doc["ladders"][0]["summary"];
        QVERIFY(isNear(summary["at_context"], atContext, 6e-4));
        QVERIFY(isNear(summary["half_width"], halfWidth, 0));
        QVERIFY(isNear(summary["bulk_rms"], bulkRms, 6e-4));
        QVERIFY(isNear(summary["bulk_max"], bulkMax, 6e-4));
    }

    void thePrintedSchemeReadsBack_data()
    {
        QTest::addColumn<QString>("scheme");
        for (const char* scheme : {"standard", "mobius", "twisted:phi=1.5708", "fope:mode=official,gain=0.3", "yarn:factor=4,original=512", "hybrid:share=0.25,special=mobius", "alibi", "nope",
                                   "window:size=32", "custom:theta=[1,0.5,0.25,0.125]", "xpos", "periodic-rope:window=32", "clipped:planes=2", "landmark:block=32",
                                   R"({"kind":"hybrid","parts":[{"name":"a","scheme":"mobius:context=64","heads":[0,2]},{"name":"rest","scheme":"nope"}]})"})
            QTest::newRow(scheme) << scheme;
    }

    void thePrintedSchemeReadsBack()
    {
        QFETCH(QString, scheme);
        const QStringList shape{"--head-dim", "8", "--context", "128", "--heads", "4", "--layers", "2", "--json"};
        const Outcome first = engine(QStringList{"ladder", scheme} + shape);
        QVERIFY2(first.code == 0, first.err.constData());
        const QTemporaryDir folder;
        const std::string file = folder.filePath("scheme.json").toStdString();
        writeFileAtomic(file, dumpPretty(first.document()["scheme"]));
        QCOMPARE(engine(QStringList{"ladder", QString::fromStdString(file)} + shape).out, first.out);
        QCOMPARE(engine(QStringList{"ladder", QString::fromStdString(dumpLine(first.document()["scheme"]))} + shape).out, first.out);
    }

    void notesSayWhatTheTableDependsOn()
    {
        const auto notes = [](const QStringList& arguments) { return QString::fromStdString(dumpLine(engine(QStringList{"ladder"} + arguments + QStringList{"--json"}).document()["notes"])); };
        QVERIFY(notes({"dynamic-ntk:factor=4", "--context", "256"}).contains("not scaled"));
        QVERIFY(!notes({"dynamic-ntk:factor=4", "--context", "256", "--length", "512"}).contains("--length"));
        QVERIFY(notes({"mobius:aliases=allow", "--context", "48"}).contains("24 of the 32 planes"));
        const Json doc = engine({"ladder", "mobius:aliases=allow", "--context", "48", "--json"}).document();
        QCOMPARE(doc["ladders"][0]["distinct"].get<int>(), 24);
        QVERIFY(engine({"ladder", "fope:context=1024,original=512"}).out.contains("top left block"));
    }

    void hybridsNameTheirHeads()
    {
        const Json doc = engine({"ladder", "hybrid:share=0.25,special=mobius", "--head-dim", "8", "--context", "64", "--heads", "8", "--layers", "2", "--json"}).document();
        QCOMPARE(doc["share"].get<double>(), .25);
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 8; ++head) {
                const int index = doc["plan"][layer][head]["ladder"];
                QCOMPARE(doc["ladders"][index]["kind"].get<std::string>(), std::string(head < 2 ? "mobius" : "standard"));
            }
    }

    void tablesAreFloatRoundedCosines()
    {
        const Json doc = engine({"tables", "mobius", "--head-dim", "8", "--context", "64", "--positions", "0,1,64,-3", "--json"}).document();
        QCOMPARE(doc["cos"][0].size(), std::size_t(4));
        for (int plane = 0; plane < 4; ++plane) {
            QCOMPARE(doc["cos"][0][0][plane].get<double>(), 1.0);
            QCOMPARE(doc["cos"][0][2][plane].get<double>(), -1.0);
            QVERIFY(isNear(doc["cos"][0][1][plane], std::cos(M_PI * (2 * plane + 1) / 64), 6e-8));
            QVERIFY(isNear(doc["sin"][0][3][plane], -std::sin(3 * M_PI * (2 * plane + 1) / 64), 6e-8));
        }
    }

    // q of the worked example at position 5 under the standard ladder, both pairings.
    void rotatesThroughTheKernel()
    {
        const QStringList common{"--vector", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8", "--position", "5", "--json"};
        const double half[] = {0.507828, -0.112139, 0.264640, 0.395995, 0.045939, 0.622435, 0.714119, 0.801990};
        const double interleaved[] = {0.220151, -0.039160, 0.071505, 0.494861, 0.469388, 0.624240, 0.695991, 0.803490};
        const Json a = engine(QStringList{"rotate", "standard"} + common).document();
        const Json b = engine(QStringList{"rotate", "standard", "--pairing", "interleaved"} + common).document();
        for (std::size_t i = 0; i < 8; ++i) {
            QVERIFY(isNear(a["vector"][i], half[i], 6e-7));
            QVERIFY(isNear(a["reference"][i], half[i], 6e-7));
            QVERIFY(isNear(b["vector"][i], interleaved[i], 6e-7));
        }
        QVERIFY(a["max_error"].get<double>() < 2e-7);
        const Json partial = engine(QStringList{"rotate", "standard", "--rotary-dim", "4"} + common).document();
        for (std::size_t i = 4; i < 8; ++i)
            QVERIFY(isNear(partial["vector"][i], .1 * double(i + 1), 1e-7));
    }
};

QTEST_GUILESS_MAIN(TestCliLadder)
#include "tst_cli_ladder.moc"
