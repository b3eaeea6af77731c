#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/fixture_project.h"
#include "test_paths.h"

// The program as it is started: verbs go to the engine unchanged, no display ends in a sentence, pictures need no display.
class GuiStart : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void verbsAreHandedOn_data();
    void verbsAreHandedOn();
    void noDisplayIsOneSentence();
    void screenshotsOfEveryPage();
    void screenshotsRefuseNonsense();

private:
    struct Result {
        int code;
        QByteArray out;
        QByteArray err;
    };
    Result run(const QStringList& arguments, const QMap<QString, QString>& set = {}, const QString& folder = {});
    const QString m_program = QStringLiteral(HOLO_BIN_DIR "/holonomy");
};

GuiStart::Result GuiStart::run(const QStringList& arguments, const QMap<QString, QString>& set, const QString& folder)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(name);
    for (auto it = set.begin(); it != set.end(); ++it)
        environment.insert(it.key(), it.value());
    process.setProcessEnvironment(environment);
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(m_program, arguments);
    process.waitForFinished(110000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

void GuiStart::verbsAreHandedOn_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("batch") << QStringList{"--batch", "a project", "--seed", "3"};
    QTest::newRow("help") << QStringList{"--help"};
    QTest::newRow("version") << QStringList{"--version"};
    QTest::newRow("verb") << QStringList{"eval", "x", "--json"};
    QTest::newRow("verb help") << QStringList{"train", "--help"};
    QTest::newRow("misspelt") << QStringList{"trian", "x"};
    QTest::newRow("batch later") << QStringList{"project", "--batch"};
}

void GuiStart::verbsAreHandedOn()
{
    QFETCH(QStringList, arguments);
    QTemporaryDir dir;
    QFile engine(dir.filePath("engine.sh"));
    QVERIFY(engine.open(QIODevice::WriteOnly));
    engine.write("#!/bin/bash\nprintf '%s\\n' \"$@\"\nexit 42\n");
    engine.close();
    engine.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    const auto result = run(arguments, {{"HOLONOMY_ENGINE", engine.fileName()}}, dir.path());
    QCOMPARE(result.code, 42);
    QCOMPARE(QString::fromUtf8(result.out), arguments.join('\n') + '\n');
}

void GuiStart::noDisplayIsOneSentence()
{
    QTemporaryDir dir;
    for (const QStringList& arguments : {QStringList(), QStringList{dir.path()}}) {
        const auto result = run(arguments, {}, dir.path());
        QCOMPARE(result.code, 2);
        QVERIFY(result.err.contains("--batch"));
        QCOMPARE(result.err.count('\n'), 1);
        QVERIFY(result.out.isEmpty());
    }
}

void GuiStart::screenshotsOfEveryPage()
{
    QTemporaryDir dir;
    holo::test::FixtureProject fixture(dir.filePath("study"));
    const auto result = run({"screenshots", fixture.folder(), "--out", dir.filePath("pictures"), "--theme", "dark", "--size", "1180x720"});
    QCOMPARE(result.code, 0);
    const QStringList files = QDir(dir.filePath("pictures")).entryList({"*.png"});
    for (const char* page : {"design", "runs", "train", "retrieval", "swap", "compare", "reliability", "log", "welcome"}) {
        const QStringList pages = files.filter(page);
        QVERIFY2(pages.size() == 1, page);
        QCOMPARE(QImage(dir.filePath("pictures/" + pages.first())).size(), QSize(1180, 720));
    }
    for (const char* dialog : {"new-project", "export", "json", "formulas", "commands", "claim", "trials"})
        QVERIFY2(files.filter(dialog).size() == 1, dialog);
    QVERIFY(!QFile::exists(fixture.folder() + "/queue.json"));
}

void GuiStart::screenshotsRefuseNonsense()
{
    QCOMPARE(run({"screenshots"}).code, 2);
    QCOMPARE(run({"screenshots", "/nowhere", "--out", QDir::tempPath() + "/holo-none"}).code, 3);
    QCOMPARE(run({"screenshots", "x", "--out", "y", "--scale", "7"}).code, 2);
    QCOMPARE(run({"screenshots", "x", "--out", "y", "--theme", "pink"}).code, 2);
    QCOMPARE(run({"screenshots", "--help"}).code, 0);
}

QTEST_GUILESS_MAIN(GuiStart)
#include "tst_gui_start.moc"
