#include <QtTest>

#include <fstream>

#include "core/base/error.h"
#include "core/eval/output_score.h"
#include "core/eval/passkey.h"

using namespace holo;
using namespace holo::eval;

class TestOutputScore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneAnswer_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<bool>("exact");
        QTest::addColumn<bool>("contains");
        QTest::newRow("itself") << "70519" << true << true;
        QTest::newRow("blanks and a full stop") << "  70519.\n" << true << true;
        QTest::newRow("another") << "60233" << false << false;
        QTest::newRow("empty") << "" << false << false;
        QTest::newRow("blank") << " \n" << false << false;
        QTest::newRow("in a sentence") << "It is 70519 today" << false << true;
        QTest::newRow("part of a longer number") << "170519" << false << false;
        QTest::newRow("with more digits") << "705190" << false << false;
        QTest::newRow("cut short") << "7051" << false << false;
        QTest::newRow("glued to letters") << "x70519y" << false << false;
        QTest::newRow("in brackets") << "(70519)" << false << true;
        QTest::newRow("before a decimal point") << "70519.5" << false << false;
        QTest::newRow("behind a decimal point") << "3.70519" << false << false;
        QTest::newRow("at the end of a sentence") << "The code is 70519." << false << true;
        QTest::newRow("twice") << "70519 70519" << false << true;
        QTest::newRow("full-width digits") << "７０５１９" << false << false;
        QTest::newRow("among many") << "11111, 70519, 22222" << false << true;
    }
    void oneAnswer()
    {
        QFETCH(QString, output);
        QFETCH(bool, exact);
        QFETCH(bool, contains);
        const OutputScore score = scoreOutput(output.toStdString(), {"70519"});
        QCOMPARE(score.exact, exact ? 1.0 : 0.0);
        QCOMPARE(score.contains, contains ? 1.0 : 0.0);
    }

    void severalAnswersCountAsTheShareFound()
    {
        const std::vector<std::string> expected{"11", "22", "33", "44"};
        QCOMPARE(scoreOutput("44, 22, 11, 33", expected).contains, 1.0);
        QCOMPARE(scoreOutput("44, 22, 11, 33.", expected).exact, 1.0);
        QCOMPARE(scoreOutput("44 and 22", expected).contains, .5);
        QCOMPARE(scoreOutput("44 and 22", expected).exact, 0.0);
        QCOMPARE(scoreOutput("111 222", expected).contains, 0.0);
        QCOMPARE(scoreOutput("", expected).contains, 0.0);
    }

    void scoresAFile()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("outputs.jsonl").toStdString();
        std::ofstream(file) << R"({"expected":["70519"],"output":"70519"})" << "\n\n" << R"({"expected":["70519"],"output":"It is 70519 today"})" << "\n";
        const Json json = scoreOutputs(file);
        QCOMPARE(json["rows"].size(), std::size_t(2));
        QCOMPARE(json["rows"][0]["exact"], Json(true));
        QCOMPARE(json["rows"][1]["exact"], Json(false));
        QCOMPARE(json["rows"][1]["contains"], Json(true));
        QCOMPARE(json["exact"].get<double>(), .5);
        for (const char* bad : {"{\"output\":\"1\"}", "{\"expected\":[\"1\"]}", "{\"expected\":[],\"output\":\"1\"}", "{\"expected\":[1],\"output\":\"1\"}", "[]", "{", "{\"expected\":\"1\",\"output\":2}"}) {
            std::ofstream(file, std::ios::trunc) << bad << "\n";
            QVERIFY_THROWS_EXCEPTION(Error, scoreOutputs(file));
        }
        QVERIFY_THROWS_EXCEPTION(Error, scoreOutputs(file / "missing"));
    }

    void passkeysAreTheFirstRunOfDigits()
    {
        QCOMPARE(passkeyAnswer(" 4711. Remember"), std::string("4711"));
        QCOMPARE(passkeyAnswer("the key 12 34"), std::string("12"));
        QCOMPARE(passkeyAnswer("00712"), std::string("712"));
        QCOMPARE(passkeyAnswer("0"), std::string("0"));
        QCOMPARE(passkeyAnswer("none"), std::string());
        QCOMPARE(passkeyAnswer(""), std::string());
    }

    void passkeyPromptHasItsFiveParts()
    {
        bool moved = false;
        for (std::int64_t trial = 0; trial < 50; ++trial) {
            const PasskeyPrompt p = passkeyPrompt(300, 1, 2, 256, trial);
            const QStringList lines = QString::fromStdString(p.text).split('\n');
            QCOMPARE(lines.size(), 5);
            QCOMPARE(lines[1].size() + lines[3].size(), 300);
            QCOMPARE(lines[2].count(QString::fromStdString(p.key)), 2);
            QVERIFY(lines[3].isEmpty() || QString("The grass is green.").startsWith(lines[3].left(19)));
            QVERIFY(lines[4].endsWith("The pass key is"));
            const int key = QString::fromStdString(p.key).toInt();
            QVERIFY(key >= 1 && key <= 50000);
            QCOMPARE(p.text.substr(p.infoAt, 15), std::string("The pass key is"));
            moved = moved || p.share > .9;
        }
        QVERIFY(moved);
        QCOMPARE(passkeyPrompt(0, 1, 2, 256, 0).key, passkeyPrompt(900, 1, 2, 256, 0).key);
    }
};

QTEST_GUILESS_MAIN(TestOutputScore)
#include "tst_eval_output_score.moc"
