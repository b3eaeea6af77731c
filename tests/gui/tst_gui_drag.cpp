#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/compare_page.h"
#include "tests/gui/fixture_project.h"
#include "tests/gui/shelf.h"
#include "widgets/common/theme.h"

using namespace holo;

// Real drags through a real X server: pressed, moved and released, from another window onto the wells of the comparison.
class GuiDrag : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runFolderOntoAWell();
};

void GuiDrag::runFolderOntoAWell()
{
    widgets::applyTheme(widgets::ThemeMode::Light);
    QTemporaryDir dir;
    test::FixtureProject fixture(dir.filePath("study"));
    settings::Settings settings(dir.filePath("h.ini"));
    shell::MainWindow window(settings);
    window.queue().setDevices({});
    window.resize(1200, 800);
    window.move(0, 0);
    window.show();
    QVERIFY(window.openProject(fixture.folder()));
    QTRY_VERIFY_WITH_TIMEOUT(window.study().isIdle(), 20000);
    window.showPage("compare");
    Shelf shelf(QUrl::fromLocalFile(fixture.folder() + "/runs/" + fixture.run("mobius25", 1)));
    shelf.move(1300, 100);
    shelf.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(QTest::qWaitForWindowExposed(&shelf));
    auto* well = window.findChild<QWidget*>("wellB");
    auto* page = window.findChild<shell::ComparePage*>();
    QVERIFY(well && well->isVisible());
    // QDrag::exec blocks in its own loop: the moves that follow come from timers.
    const QPoint target = window.mapFromGlobal(well->mapToGlobal(well->rect().center()));
    QTimer::singleShot(300, this, [&] { QTest::mouseMove(window.windowHandle(), target - QPoint(10, 0)); });
    QTimer::singleShot(600, this, [&] { QTest::mouseMove(window.windowHandle(), target); });
    QTimer::singleShot(1000, this, [&] { QTest::mouseRelease(window.windowHandle(), Qt::LeftButton, {}, target); });
    QTest::mousePress(shelf.windowHandle(), Qt::LeftButton, {}, QPoint(20, 20));
    QTest::mouseMove(shelf.windowHandle(), QPoint(40, 30));
    QTRY_VERIFY_WITH_TIMEOUT(page->source(1) && page->source(1)->grid, 10000);
    QVERIFY(!page->source(0));
}

QTEST_MAIN(GuiDrag)
#include "tst_gui_drag.moc"
