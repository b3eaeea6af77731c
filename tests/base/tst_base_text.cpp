#include <cmath>

#include <QtTest>

#include "core/base/text.h"

class TestBaseText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersRoundTrip()
    {
        for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.0})
            QCOMPARE(*holo::parseDouble(holo::formatDouble(value)), value);
        QCOMPARE(holo::formatDouble(std::nan("")), std::string("nan"));
    }

    void wholeTextMustBeANumber()
    {
        for (const char* text : {"", "1,5", "1.5x", " 1", "1 ", "--1", "0x10", "1e"})
            QVERIFY2(!holo::parseDouble(text), text);
        for (const char* text : {"", "1.0", "9223372036854775808", "1e3", "x"})
            QVERIFY2(!holo::parseInt(text), text);
        QCOMPARE(*holo::parseDouble("2.75"), 2.75);
        QCOMPARE(*holo::parseInt("-12"), std::int64_t(-12));
    }

    void suggestsTheNearestName()
    {
        const std::vector<std::string> names = {"steps", "batch", "lr", "warmup"};
        QCOMPARE(*holo::nearestName("stpes", names), std::string("steps"));
        QCOMPARE(*holo::nearestName("warm_up", names), std::string("warmup"));
        QVERIFY(!holo::nearestName("quantisation", names));
    }

    void recognisesUtf8()
    {
        std::size_t offset = 0;
        QVERIFY(holo::isUtf8("plain, \xc3\xbc, \xe2\x82\xac, \xf0\x9f\x8c\x80"));
        for (const auto& [text, at] : std::vector<std::pair<std::string, std::size_t>>{
                 {"a\xff", 1}, {"\xc0\x80", 0}, {"ab\xed\xa0\x80", 2}, {"\xf4\x90\x80\x80", 0}, {"\xe2\x82", 0}, {"\x80", 0}}) {
            QVERIFY(!holo::isUtf8(text, &offset));
            QCOMPARE(offset, at);
        }
    }
};

QTEST_APPLESS_MAIN(TestBaseText)
#include "tst_base_text.moc"
