#include <cmath>
#include <limits>

#include <QtTest>

#include "core/base/error.h"
#include "core/base/json.h"

using holo::Error;
using holo::ErrorKind;

class TestBaseJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheOrderOfKeys() { QCOMPARE(holo::dumpLine(holo::parseJson(R"({"b":1,"a":2})", "x")), std::string(R"({"b":1,"a":2})")); }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"a\":1");
        QTest::newRow("bare NaN") << QByteArray("{\"a\":NaN}");
        QTest::newRow("comment") << QByteArray("{} // note");
        QTest::newRow("trailing comma") << QByteArray("[1,]");
        QTest::newRow("second document") << QByteArray("{} {}");
        QTest::newRow("duplicate key") << QByteArray(R"({"a":1,"a":2})");
        QTest::newRow("duplicate key deep inside") << QByteArray(R"([{"x":{"a":1,"b":0,"a":2}}])");
        QTest::newRow("broken UTF-8") << QByteArray("\"\xff\"");
        QTest::newRow("deep array") << QByteArray(100000, '[');
        QTest::newRow("deep object") << QByteArray("{\"a\":").repeated(100000);
        QTest::newRow("number out of range") << QByteArray("1e999");
        QTest::newRow("NUL behind the document") << QByteArray("{}\0garbage", 10);
        QTest::newRow("NUL in a string") << QByteArray("\"a\0b\"", 5);
        QTest::newRow("control character") << QByteArray("\"\n\"");
    }
    void refuses()
    {
        QFETCH(QByteArray, text);
        try {
            holo::parseJson(text.toStdString(), "file.json");
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::Malformed);
            QVERIFY(QString(e.what()).startsWith("file.json"));
        }
    }

    // Looking every key up among its elders would take minutes here.
    void readsObjectsOfManyKeys()
    {
        std::string text = "{\"k0\":[0]";
        for (int i = 1; i < 400000; ++i)
            text += ",\"k" + std::to_string(i) + "\":{\"a\":[" + std::to_string(i) + "]}";
        const holo::Json json = holo::parseJson(text + "}", "x");
        QCOMPARE(json.size(), std::size_t(400000));
        QCOMPARE(holo::dumpLine(json), text + "}");
    }

    void boundsTheSize()
    {
        QVERIFY_EXCEPTION_THROWN(holo::parseJson(std::string(100, ' ') + "1", "x", {.bytes = 50}), Error);
        QCOMPARE(holo::parseJson(" 1", "x", {.bytes = 2}).get<int>(), 1);
    }

    void nonFiniteNumbersAreStrings()
    {
        const double inf = std::numeric_limits<double>::infinity();
        for (const double value : {0.1, 1e-300, -3.5, inf, -inf})
            QCOMPARE(holo::toDouble(holo::parseJson(holo::dumpLine(holo::number(value)), "x"), "f"), value);
        QVERIFY(std::isnan(holo::toDouble(holo::number(std::nan("")), "f")));
        QVERIFY_EXCEPTION_THROWN(holo::toDouble(holo::Json("infinity"), "f"), Error);
    }
};

QTEST_APPLESS_MAIN(TestBaseJson)
#include "tst_base_json.moc"
