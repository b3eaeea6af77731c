#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"

using namespace holo;

// A settings file in any state lets the window start with defaults, keeps the bad file aside and says so once.
class GuiSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roundTrip();
    void badFiles_data();
    void badFiles();
    void folderInPlaceOfAFile();
    void windowStartsWithNonsense();
};

void GuiSettings::roundTrip()
{
    QTemporaryDir dir;
    {
        settings::Settings s(dir.filePath("h.ini"));
        s.setTheme(widgets::ThemeMode::Dark);
        s.setWindow("geometry\0bytes", "layout");
    }
    settings::Settings s(dir.filePath("h.ini"));
    QCOMPARE(s.note(), QString());
    QCOMPARE(s.theme(), widgets::ThemeMode::Dark);
    QCOMPARE(s.layout(), QByteArray("layout"));
}

void GuiSettings::badFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("isBad");
    QTest::newRow("empty") << QByteArray() << false;
    QTest::newRow("cut") << QByteArray("[view]\nthe") << true;
    QByteArray noise;
    for (int i = 0; i < (1 << 20); ++i)
        noise.append(static_cast<char>((i * 7919 + i / 13) & 0xff));
    QTest::newRow("noise") << noise << true;
    QTest::newRow("json") << QByteArray("{\"view\": 1}") << true;
    QTest::newRow("huge") << QByteArray(5 << 20, 'a') << true;
}

void GuiSettings::badFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, isBad);
    QTemporaryDir dir;
    QFile file(dir.filePath("h.ini"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    settings::Settings s(file.fileName());
    QCOMPARE(!s.note().isEmpty(), isBad);
    QCOMPARE(QFile::exists(file.fileName() + ".bad"), isBad);
    QCOMPARE(s.theme(), widgets::ThemeMode::System);
    s.setTheme(widgets::ThemeMode::Light);
    QVERIFY(settings::Settings(file.fileName()).note().isEmpty());
}

void GuiSettings::folderInPlaceOfAFile()
{
    QTemporaryDir dir;
    QVERIFY(QDir().mkpath(dir.filePath("h.ini")));
    settings::Settings s(dir.filePath("h.ini"));
    QVERIFY(!s.note().isEmpty());
    QCOMPARE(s.page(), 0);
}

void GuiSettings::windowStartsWithNonsense()
{
    QTemporaryDir dir;
    settings::Settings s(dir.filePath("h.ini"));
    s.setWindow(QByteArray(300, '\x7f'), QByteArray(300, '\x01'));
    s.setPage(99);
    shell::MainWindow window(s);
    window.show();
    QVERIFY(window.isVisible());
    QCOMPARE(window.currentPage(), QString("design"));
}

QTEST_MAIN(GuiSettings)
#include "tst_gui_settings.moc"
