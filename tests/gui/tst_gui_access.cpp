#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <set>

#include "app/settings/settings.h"
#include "app/shell/command_palette.h"
#include "app/shell/main_window.h"
#include "app/shell/new_project_dialog.h"
#include "app/shell/text_dialog.h"
#include "tests/gui/fixture_project.h"
#include "widgets/common/theme.h"
#include "widgets/plots/export_dialog.h"
#include "widgets/plots/plot.h"

using namespace holo;
using namespace holo::shell;

namespace {

// What somebody works with, as opposed to what Qt builds its own widgets of.
bool isControl(const QWidget* widget)
{
    if (const auto* button = qobject_cast<const QPushButton*>(widget); button && button->text().isEmpty() && button->icon().isNull() && button->isHidden())
        return false;  // of an empty page that offers none
    if (widget->objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(widget) || qobject_cast<const QHeaderView*>(widget))
        return false;
    for (const QWidget* parent = widget->parentWidget(); parent && !parent->isWindow(); parent = parent->parentWidget())
        if (qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QTabBar*>(parent) || qobject_cast<const QLineEdit*>(parent) || qobject_cast<const QHeaderView*>(parent)
            || parent->objectName().startsWith("qt_") || parent->inherits("QDockWidgetTitleButton") || parent->inherits("QTableView"))
            return false;
    if (widget->inherits("QDockWidgetTitleButton") || widget->inherits("QMenuBarExtension") || widget->inherits("QComboBoxListView"))
        return false;
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)
        || qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const widgets::Plot*>(widget);
}

QString where(const QWidget* widget)
{
    QStringList path;
    for (; widget && path.size() < 4; widget = widget->parentWidget())
        path << QString::fromLatin1(widget->metaObject()->className()) + (widget->objectName().isEmpty() ? QString() : '#' + widget->objectName());
    return path.join(" < ");
}

QStringList withoutName(const QWidget* window)
{
    QStringList list;
    for (auto* widget : window->findChildren<QWidget*>()) {
        if (!isControl(widget))
            continue;
        auto* interface = QAccessible::queryAccessibleInterface(widget);
        if (!interface || interface->text(QAccessible::Name).trimmed().isEmpty())
            list << where(widget);
    }
    return list;
}

QStringList iconsWithoutTip(const QWidget* window)
{
    QStringList list;
    for (auto* button : window->findChildren<QAbstractButton*>())
        if (isControl(button) && button->text().isEmpty() && button->toolTip().isEmpty())
            list << where(button);
    return list;
}

}  // namespace

// What a screen reader and a keyboard find: every control has a name, every shortcut is told, every model keeps the rules of models.
class GuiAccess : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void everyControlHasAName();
    void dialogsToo();
    void shortcutsAreTold();
    void shortcutsAreUnique();
    void everyModelKeepsTheRules();
    void cleanupTestCase();

private:
    QTemporaryDir m_dir;
    std::unique_ptr<test::FixtureProject> m_fixture;
    std::unique_ptr<settings::Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void GuiAccess::initTestCase()
{
    widgets::ensureFont();
    widgets::applyTheme(widgets::ThemeMode::Light);
    m_fixture = std::make_unique<test::FixtureProject>(m_dir.filePath("study"));
    m_settings = std::make_unique<settings::Settings>(m_dir.filePath("holonomy.ini"));
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->queue().setDevices({});
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QVERIFY(m_window->openProject(m_fixture->folder()));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().isIdle(), 20000);
    m_window->filter().selectRun(m_fixture->run("standard", 1));
    for (const QString& page : MainWindow::pageNames()) {
        m_window->showPage(page);
        QTest::qWait(120);  // pages build their plots when they are seen
    }
}

void GuiAccess::cleanupTestCase()
{
    m_window->setNextCloseChoice(MainWindow::CloseChoice::KeepRunning);
    m_window->close();
    m_window.reset();
}

void GuiAccess::everyControlHasAName()
{
    const QStringList nameless = withoutName(m_window.get());
    QVERIFY2(nameless.isEmpty(), qPrintable('\n' + nameless.join('\n')));
    const QStringList silent = iconsWithoutTip(m_window.get());
    QVERIFY2(silent.isEmpty(), qPrintable('\n' + silent.join('\n')));
}

void GuiAccess::dialogsToo()
{
    NewProjectDialog project;
    widgets::ExportDialog figure("figure", "pdf", "holonomy report");
    TextDialog text("text", "content", "text.md");
    CommandPalette palette({}, m_window.get());
    std::vector<QWidget*> dialogs{&project, &figure, &text, &palette};
    for (QWidget* dialog : dialogs) {
        const QStringList nameless = withoutName(dialog) + iconsWithoutTip(dialog);
        QVERIFY2(nameless.isEmpty(), qPrintable('\n' + nameless.join('\n')));
    }
}

void GuiAccess::shortcutsAreTold()
{
    int shortcuts = 0;
    for (auto* action : m_window->findChildren<QAction*>()) {
        if (action->shortcut().isEmpty())
            continue;
        ++shortcuts;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        QVERIFY2(action->toolTip().contains(keys), qPrintable(action->text() + ": " + action->toolTip()));
    }
    QVERIFY(shortcuts >= 16);
    for (auto* menu : m_window->menuBar()->findChildren<QMenu*>())
        for (auto* action : menu->actions())
            QVERIFY2(action->isSeparator() || !action->text().isEmpty(), qPrintable(menu->title()));
}

void GuiAccess::shortcutsAreUnique()
{
    std::set<QString> seen;
    for (auto* menu : m_window->menuBar()->findChildren<QMenu*>())
        for (auto* action : menu->actions())
            if (!action->shortcut().isEmpty())
                QVERIFY2(seen.insert(action->shortcut().toString()).second, qPrintable(action->text()));
}

void GuiAccess::everyModelKeepsTheRules()
{
    std::set<QAbstractItemModel*> models;
    for (auto* view : m_window->findChildren<QAbstractItemView*>())
        for (auto* model = view->model(); model;) {
            if (QByteArray(model->metaObject()->className()).startsWith("holo::") || qobject_cast<QAbstractProxyModel*>(model))
                models.insert(model);
            auto* proxy = qobject_cast<QAbstractProxyModel*>(model);
            model = proxy ? proxy->sourceModel() : nullptr;
        }
    std::set<QByteArray> classes;
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (auto* model : models) {
        classes.insert(model->metaObject()->className());
        testers.push_back(std::make_unique<QAbstractItemModelTester>(model, QAbstractItemModelTester::FailureReportingMode::QtTest));
    }
    for (const char* name : {"holo::widgets::RunTreeModel", "holo::widgets::RunFilter", "holo::widgets::TableModel", "holo::shell::LogModel", "QSortFilterProxyModel"})
        QVERIFY2(classes.contains(name), name);
    // Everything that changes them.
    m_window->openPaths({m_dir.filePath("nowhere")});  // a line in the log
    auto* runFilter = m_window->findChild<QLineEdit*>("runFilter");
    auto* table = m_window->findChild<QTreeView*>("runTable");
    for (const char* text : {"state:done", "needle<50", "(", "nothing has this name", ""}) {
        runFilter->setText(text);
        for (int column = 0; column < table->model()->columnCount(); ++column)
            table->sortByColumn(column, column % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
    }
    for (const bool shown : {false, true}) {
        m_window->filter().setShown(QString("nope25"), shown);
        m_window->filter().setShown(qint64(2), shown);
        QTest::qWait(50);
    }
    for (auto* box : m_window->findChildren<QComboBox*>())
        if (box->objectName() == "metric" || box->objectName() == "retrievalMode")
            for (int i = 0; i < box->count(); ++i) {
                box->setCurrentIndex(i);
                Q_EMIT box->activated(i);
                QTest::qWait(250);
            }
    const QString running = m_fixture->run("nope25", 4);
    m_fixture->appendSteps(running, 65, 90);
    QTRY_COMPARE(m_window->study().row(running)->step, std::int64_t(90));
    QVERIFY(QDir(m_fixture->folder() + "/runs/" + m_fixture->run("standard", 3)).removeRecursively());
    QTRY_VERIFY(!m_window->study().row(m_fixture->run("standard", 3)));
    m_window->closeProject();
    QVERIFY(m_window->openProject(m_fixture->folder()));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().isIdle(), 20000);
}

QTEST_MAIN(GuiAccess)
#include "tst_gui_access.moc"
