#include <QTemporaryDir>
#include <QtTest>

#include "engine_process.h"
#include "test_paths.h"

using namespace holo;
using namespace holo::test;

// Whatever is wrong with a command line ends in the documented code, one sentence on standard error, and one document under --json.
class TestCliRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRefusalHasCodeSentenceAndDocument_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* line, int code, const char* said) { QTest::newRow(line) << QString(line).split(' ') << code << QString::fromUtf8(said); };
        row("lader mobius", 2, "ladder");
        row("ladder", 2, "SCHEME");
        row("ladder mobius --hed-dim 8", 2, "--head-dim");
        row("ladder mobius --hed-dim=8", 2, "--head-dim");
        row("ladder mobius extra", 2, "one argument too many");
        row("ladder mobius --context", 2, "context");
        row("ladder mobius --context 2,5", 2, "--context");
        row("ladder mobius --context 1", 2, "--context");
        row("ladder mobius --context 1e3", 2, "--context");
        row("ladder mobius --head-dim 7", 2, "--head-dim");
        row("ladder mobius --head-dim 8 --rotary-dim 10", 2, "--rotary-dim");
        row("ladder mobius --heads 6 --kv-heads 4", 2, "--kv-heads");
        row("ladder mobius --base 10,5", 2, "--base");
        row("ladder mobius --delta 5:1", 2, "--delta");
        row("ladder mobius --delta 0:10:0", 2, "--delta");
        row("ladder mobius --delta 0:100000000000", 2, "at most");
        row("ladder mobiuss", 2, "mobius");
        row("ladder mobius:contxt=5", 2, "context");
        row("ladder mobius:context=6 --head-dim 64", 2, "context");
        row("ladder nowhere.json", 3, "nowhere.json");
        row("ladder standard:base=1", 2, "standard.base is 1");
        row("ladder standard:base=nan", 2, "standard.base is nan");
        row("ladder yarn:factor=0.5", 2, "yarn.factor is 0.5");
        row("ladder linear", 2, "linear.factor is missing");
        row("ladder clipped --head-dim 2", 2, "clipped.mode is taper");
        row("ladder custom:theta=1 --head-dim 4", 2, "a list of 1 frequency");
        row("ladder mobius --context 62", 2, "at least 63");
        row("ladder fope:context=6", 2, "N >= 7");
        row("ladder mrrope:factor=2 --context 64", 2, "mrrope.original");
        row("ladder yarn:factor=2,original=4", 2, "yarn.original");
        row("ladder longrope:factor=2,short=[1],long=[2]", 2, "32 numbers");
        row("tables mobius", 2, "positions");
        row("tables mobius --positions one", 2, "--positions");
        row("rotate mobius --vector 1,2,3,4", 2, "position");
        row("rotate mobius --vector 1;2 --position 0", 2, "--vector");
        row("rotate mobius --vector 1,2,3 --position 0", 2, "even");
        row("rotate mobius --vector 1,2,3,4 --position 0 --head-dim 8", 2, "--head-dim");
        row("rotate mobius --vector 1,2,3,4 --position 0 --head 1", 2, "--head");
        row("rotate mobius --vector 1,2,3,4 --position 0 --pairing halb", 2, "pairing");
        row("new", 2, "DIR");
        row("new /dev/null/x", 5, "/dev/null/x");
        row("new somewhere --template tinny", 2, "tiny");
        row("new somewhere --template mobius-paper --size 70b", 2, "paper, tiny, 160m, 410m");
        row("new somewhere --param model=5", 2, "such as model.style");
        row("new somewhere --param train.stepz=3", 2, "train.steps");
        row("runs nowhere", 3, "nowhere");
        row("show nowhere", 3, "nowhere");
        row("stats", 2, "PROJECT");
        row("stats nowhere", 3, "nowhere");
        row("stats --values nowhere.json", 3, "nowhere.json");
        row("report nowhere", 3, "nowhere");
        row("index nowhere", 3, "nowhere");
        row("slurm nowhere", 3, "nowhere");
        row("export nowhere", 3, "nowhere");
        row("data", 2, "subcommand");
        row("data prepar x --out y", 2, "prepare");
        row("data prepare nowhere.txt --out y", 3, "nowhere.txt");
        row("data info nowhere.bin", 3, "nowhere.bin");
        row("data synth fact --out y", 2, "facts");
        row("data synth facts:nams=3 --out y", 2, "data.synthetic.names");
        row("version --log-level loud", 2, "log-level");
    }

    void everyRefusalHasCodeSentenceAndDocument()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, said);
        const QTemporaryDir folder;
        const Outcome json = engine(arguments + QStringList{"--json"}, {}, folder.path());
        QCOMPARE(json.code, code);
        QCOMPARE(json.err.trimmed().count('\n'), 0);
        QVERIFY2(QString::fromUtf8(json.err).contains(said), json.err.constData());
        const Json error = json.document()["error"];
        QCOMPARE(error["class"].get<std::string>(), std::string(code == 2 ? "argument" : code == 3 ? "input-malformed" : "resource"));
        QCOMPARE(error["code"].get<int>(), code);
        QCOMPARE(QByteArray::fromStdString(error["message"].get<std::string>()), json.err.trimmed());
        for (const char* key : {"file", "field", "found", "allowed"})
            QVERIFY(error.contains(key));
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void everyVerbHasHelpWithAnExample()
    {
        const Outcome help = engine({"--help"});
        QCOMPARE(help.code, 0);
        int verbs = 0;
        static const QRegularExpression line("^  ([a-z]+)  +\\S", QRegularExpression::MultilineOption);
        const QString text = QString::fromUtf8(help.out.mid(help.out.indexOf("Subcommands:")));
        for (auto it = line.globalMatch(text); it.hasNext();) {
            const QString verb = it.next().captured(1);
            const Outcome own = engine({verb, "--help"});
            QCOMPARE(own.code, 0);
            QVERIFY2(own.out.contains("Example:\n  holonomy "), qPrintable(verb));
            QVERIFY2(own.out.contains("Usage: holonomy " + verb.toUtf8() + " "), own.out.constData());
            QVERIFY(own.err.isEmpty());
            ++verbs;
        }
        QVERIFY(verbs >= 13);
    }

    void nestedHelpNamesItsParent()
    {
        for (const char* const verb : {"prepare", "info", "sample", "write", "synth"})
            QVERIFY(engine({"data", verb, "--help"}).out.contains(QByteArray("Usage: holonomy data ") + verb + " "));
    }

    void withoutJsonStandardOutputStaysEmpty()
    {
        const Outcome plain = engine({"ladder", "mobiuss"});
        QCOMPARE(plain.code, 2);
        QVERIFY(plain.out.isEmpty());
        QVERIFY(plain.err.contains("mobius"));
    }

    void noVerbIsAnArgumentError()
    {
        QCOMPARE(engine({"--json"}).document()["error"]["class"].get<std::string>(), std::string("argument"));
    }

    void aFullDiskIsSaid()
    {
        QProcess process;
        process.setStandardOutputFile("/dev/full");
        process.start(QString(HOLO_BIN_DIR) + "/holonomy-engine", {"ladder", "mobius"});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 5);
    }

    void aReaderThatLeavesIsNoFailure()
    {
        QProcess shell;
        shell.start("bash", {"-c", QString("set -o pipefail; '%1/holonomy-engine' ladder mobius --context 4096 --delta 0:4096 --json | head -c 10").arg(HOLO_BIN_DIR)});
        QVERIFY(shell.waitForFinished(60'000));
        QCOMPARE(shell.exitCode(), 0);
        QCOMPARE(shell.readAllStandardOutput().size(), 10);
    }

    // What no run of a project can do is said once, before a folder of a run is made.
    void batchBeginsNothing_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("part");
        QTest::newRow("missing source") << QStringList{"--param", "data.source=/nonexistent/text"} << 3 << "/nonexistent/text";
        QTest::newRow("no file of text") << QStringList{"--param", "data.source=EMPTY"} << 3 << "no file of text";
        QTest::newRow("not a file") << QStringList{"--param", "data.source=/dev/null"} << 3 << "regular file";
        QTest::newRow("vocabulary") << QStringList{"--param", "model.vocab=100"} << 2 << "178";
        QTest::newRow("arm") << QStringList{"--arm", "nosuch"} << 2 << "\"nosuch\"";
    }

    void batchBeginsNothing()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QString, part);
        QTemporaryDir folder;
        const QString study = folder.filePath("study"), empty = folder.filePath("empty");
        QVERIFY(QDir().mkdir(empty));
        QCOMPARE(engine({"new", study, "--template", "tiny"}).code, 0);
        arguments.replaceInStrings("EMPTY", empty);
        const Outcome outcome = engine(QStringList{"--batch", study} + arguments);
        QCOMPARE(outcome.code, code);
        QVERIFY2(outcome.err.contains(part.toUtf8()), outcome.err.constData());
        QCOMPARE(outcome.err.trimmed().count('\n'), 0);
        QVERIFY(!QDir(study).exists("runs"));
    }
};

QTEST_GUILESS_MAIN(TestCliRefusals)
#include "tst_cli_refusals.moc"
