#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "engine_process.h"

using namespace holo;
using namespace holo::test;

// Output and files are the same bytes under a locale with decimal comma and digit grouping.
class TestCliLocale : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QStringList m_french;

private Q_SLOTS:
    void initTestCase()
    {
        const QString name = m_folder.filePath("fr_FR.UTF-8");
        QProcess::execute("localedef", {"-i", "fr_FR", "-f", "UTF-8", name});
        if (!QFileInfo::exists(name))
            QSKIP("localedef cannot make fr_FR.UTF-8 here (package locales)");
        m_french = {"LOCPATH=" + m_folder.path(), "LC_ALL=fr_FR.UTF-8", "LANG=fr_FR.UTF-8"};
        QProcess check;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const QString& entry : m_french)
            environment.insert(entry.section('=', 0, 0), entry.section('=', 1));
        check.setProcessEnvironment(environment);
        check.start("bash", {"-c", "printf '%.2f' 2,75"});
        check.waitForFinished();
        QCOMPARE(check.readAllStandardOutput(), QByteArray("2,75"));
    }

    void outputIsTheSame_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char* line) { QTest::newRow(line) << QString(line).split(' '); };
        row("ladder twisted:phi=1.5708 --head-dim 8 --context 4096 --base 2.75");
        row("ladder twisted:phi=1.5708 --head-dim 8 --context 4096 --json");
        row("tables fope:gain=0.3 --head-dim 8 --context 64 --positions 0,1,63 --json");
        row("rotate standard --vector 0.1,0.25,1e-3,4 --position 1234567 --json");
        row("rotate standard --vector 0.1,0.25,1e-3,4 --position 1234567");
        row("ladder mobius --context 2,75");
    }

    void outputIsTheSame()
    {
        QFETCH(QStringList, arguments);
        const Outcome c = engine(arguments);
        const Outcome french = engine(arguments, m_french);
        QCOMPARE(french.code, c.code);
        QCOMPARE(french.out, c.out);
        QCOMPARE(french.err, c.err);
    }

    void filesAreTheSame()
    {
        const QString a = m_folder.filePath("c"), b = m_folder.filePath("f");
        for (const char* const parameter : {"train.lr=2.75e-3", "model.rotary_pct=0.5"}) {
            QDir(a).removeRecursively();
            QDir(b).removeRecursively();
            QCOMPARE(engine({"new", a, "--param", parameter, "--param", "name=x"}).code, 0);
            QCOMPARE(engine({"new", b, "--param", parameter, "--param", "name=x"}, m_french).code, 0);
            QCOMPARE(readFile((a + "/project.json").toStdString()), readFile((b + "/project.json").toStdString()));
        }
    }
};

QTEST_GUILESS_MAIN(TestCliLocale)
#include "tst_cli_locale.moc"
