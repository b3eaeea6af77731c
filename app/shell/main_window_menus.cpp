#include <QActionGroup>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>

#include "app/bridge/engine.h"
#include "app/bridge/run_trash.h"
#include "app/settings/settings.h"
#include "app/shell/command_palette.h"
#include "app/shell/docks/inspector.h"
#include "app/shell/docks/queue_panel.h"
#include "app/shell/help_texts.h"
#include "app/shell/json_dialog.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/log_page.h"
#include "app/shell/text_dialog.h"
#include "widgets/common/action_tip.h"
#include "widgets/common/icons.h"

namespace holo::shell {

void MainWindow::makeDocks()
{
    const auto dock = [this](const QString& title, const char* name, QWidget* content, Qt::DockWidgetArea area) {
        auto* d = new QDockWidget(title);
        d->setObjectName(name);
        d->setWidget(content);
        addDockWidget(area, d);
        return d;
    };
    auto* inspector = new Inspector(m_context);
    connect(inspector, &Inspector::failed, this, &MainWindow::showError);
    connect(inspector, &Inspector::noted, this, &MainWindow::report);
    connect(inspector, &Inspector::pageWanted, this, &MainWindow::showPage);
    auto* inspectorDock = dock(tr("Inspector"), "inspectorDock", inspector, Qt::RightDockWidgetArea);
    m_queuePanel = new QueuePanel(m_context);
    connect(m_queuePanel, &QueuePanel::failed, this, &MainWindow::showError);
    auto* queueDock = dock(tr("Queue"), "queueDock", m_queuePanel, Qt::BottomDockWidgetArea);
    auto* log = new LogPage(m_context);
    auto* logDock = dock(tr("Log"), "logDock", log, Qt::BottomDockWidgetArea);
    tabifyDockWidget(queueDock, logDock);
    queueDock->raise();
    logDock->hide();
    resizeDocks({inspectorDock}, {270}, Qt::Horizontal);
    resizeDocks({queueDock}, {96}, Qt::Vertical);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

void MainWindow::makeMenus()
{
    const auto action = [this](QMenu* menu, const QString& text, const QKeySequence& keys, const QString& icon, auto what) {
        auto* a = menu->addAction(text, this, what);
        a->setShortcut(keys);
        if (!keys.isEmpty())
            widgets::tellShortcut(a);
        if (!icon.isEmpty())
            a->setIcon(widgets::icon(icon));
        return a;
    };
    auto* project = menuBar()->addMenu(tr("&Project"));
    action(project, tr("&New project…"), QKeySequence::New, "add", &MainWindow::newProject);
    action(project, tr("&Open folder…"), QKeySequence::Open, "folder", &MainWindow::openFolder);
    action(project, tr("Open the tiny &sample"), {}, "play", &MainWindow::openSample);
    action(project, tr("&Save project"), QKeySequence::Save, "save", &MainWindow::saveProject);
    auto* json = action(project, tr("Project as &JSON…"), QKeySequence("Ctrl+J"), {}, [this] {
        auto* dialog = new JsonDialog(m_document, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    });
    json->setEnabled(false);
    connect(&m_document, &widgets::ProjectDocument::changed, json, [this, json] { json->setEnabled(m_document.isOpen()); });
    action(project, tr("&Close project"), {}, {}, &MainWindow::closeProject);
    project->addSeparator();
    action(project, tr("&Quit"), QKeySequence::Quit, {}, [this] { close(); });

    auto* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_document.undoStack()->createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(widgets::icon("undo"));
    QAction* redo = m_document.undoStack()->createRedoAction(this, tr("Redo"));
    redo->setShortcut(QKeySequence::Redo);
    redo->setIcon(widgets::icon("redo"));
    widgets::tellShortcut(undo);
    widgets::tellShortcut(redo);
    edit->addActions({undo, redo});
    edit->addSeparator();
    auto* restore = action(edit, tr("Bring back deleted runs"), {}, {}, [this] {
        for (const QString& run : bridge::discardedRuns(m_study.folder()))
            if (const QString problem = bridge::restoreRun(m_study.folder(), run); !problem.isEmpty())
                return showError(problem);
        report(tr("The deleted runs are back"));
    });
    restore->setObjectName("restoreRuns");
    connect(edit, &QMenu::aboutToShow, restore, [this, restore] { restore->setEnabled(m_study.isOpen() && !bridge::discardedRuns(m_study.folder()).isEmpty()); });

    auto* run = menuBar()->addMenu(tr("&Run"));
    action(run, tr("Pause or continue the &queue"), QKeySequence("Ctrl+Shift+P"), "pause", [this] { m_queue.setPaused(!m_queue.isPaused()); });
    action(run, tr("&Empty the queue"), {}, {}, [this] { m_queue.clearWaiting(); });
    auto* stopWith = run->addAction(tr("Stop runs when the window closes"));
    stopWith->setCheckable(true);
    stopWith->setChecked(m_settings.stopRunsWithWindow());
    connect(stopWith, &QAction::toggled, this, [this](bool on) { m_settings.setStopRunsWithWindow(on); });

    auto* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < pageNames().size(); ++i)
        action(view, m_titles[i], QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)), pageNames()[i], [this, i] { showPage(pageNames()[i]); });
    view->addSeparator();
    for (auto* dock : findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly))
        view->addAction(dock->toggleViewAction());
    action(view, tr("Reset layout"), {}, {}, &MainWindow::resetLayout);
    view->addSeparator();
    auto* themes = new QActionGroup(this);
    const std::pair<QString, widgets::ThemeMode> modes[] = {{tr("Theme: as the system"), widgets::ThemeMode::System}, {tr("Theme: light"), widgets::ThemeMode::Light}, {tr("Theme: dark"), widgets::ThemeMode::Dark}};
    for (const auto& [text, mode] : modes) {
        auto* a = action(view, text, {}, {}, [this, mode = mode] {
            m_settings.setTheme(mode);
            setTheme(mode);
        });
        a->setCheckable(true);
        a->setChecked(m_settings.theme() == mode);
        themes->addAction(a);
    }

    auto* tools = menuBar()->addMenu(tr("&Tools"));
    action(tools, tr("All &commands…"), QKeySequence("Ctrl+K"), "search", &MainWindow::showPalette);
    tools->addSeparator();
    action(tools, tr("Write the &report…"), {}, "log", [this] {
        const QString folder = std::exchange(m_nextFolder, {});
        const QString out = !folder.isEmpty() ? folder : QFileDialog::getExistingDirectory(this, tr("Folder for the report"), m_study.folder());
        if (!out.isEmpty())
            runTool(tr("Report in %1").arg(out), {"report", m_study.folder(), "--out", out});
    });
    action(tools, tr("Write a &Slurm script"), {}, {}, [this] { runTool(tr("Slurm script"), {"slurm", m_study.folder()}); });
    action(tools, tr("Check every &kernel against float64"), {}, {}, [this] { runTool(tr("Self-test"), {"selftest"}); });
    auto* help = menuBar()->addMenu(tr("&Help"));
    const auto read = [this](const QString& title, const QString& text, const QString& file) {
        auto* dialog = new TextDialog(title, text, file, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    };
    action(help, tr("&Formulas and sources"), QKeySequence::HelpContents, {}, [read] { read(tr("Formulas and sources"), formulaHelp(), "formulas.txt"); });
    action(help, tr("&Keyboard"), {}, {}, [this, read] {
        QList<QAction*> actions;
        for (auto* menu : menuBar()->findChildren<QMenu*>())
            actions << menu->actions();
        read(tr("Keyboard"), keyboardHelp(actions), "keyboard.txt");
    });
    action(help, tr("&About Holonomy"), {}, {}, [this] {
        QMessageBox::about(this, tr("About Holonomy"),
            tr("<b>Holonomy</b><p>A workbench for experiments on positional encodings.</p><p>Free software under the GNU General Public License, version 3 or later.</p>"));
    });
}

void MainWindow::runTool(const QString& name, const QStringList& arguments)
{
    if (arguments.size() > 1 && !m_study.isOpen())
        return showError(tr("%1: open a project first.").arg(name));
    if (m_tool.isRunning())
        return showError(tr("%1 is still at work.").arg(m_toolName));
    m_toolName = name;
    report(bridge::shellCommand(arguments));
    m_tool.start(arguments, m_study.folder());
}

// Every action of the menus, then every arm and run by name.
void MainWindow::showPalette()
{
    QList<QAction*> actions;
    for (auto* menu : menuBar()->findChildren<QMenu*>())
        for (auto* a : menu->actions())
            if (!a->isSeparator() && !a->menu())
                actions << a;
    auto* palette = new CommandPalette(actions, this);
    QList<QAction*> places;
    const auto& arms = m_document.project().arms;
    for (std::size_t i = 0; i < arms.size() && m_document.isOpen(); ++i) {
        auto* a = new QAction(tr("Arm %1").arg(QString::fromStdString(arms[i].name)), palette);
        connect(a, &QAction::triggered, this, [this, i] {
            m_document.setCurrentArm(static_cast<int>(i));
            showPage("design");
        });
        places << a;
    }
    for (const auto& [run, row] : m_study.rows()) {
        auto* a = new QAction(tr("Run %1 seed %2 (%3)").arg(QString::fromStdString(row.arm)).arg(row.seed).arg(QString::fromStdString(row.state)), palette);
        connect(a, &QAction::triggered, this, [this, run = run] {
            m_filter.selectRun(run);
            showPage("train");
        });
        places << a;
    }
    palette->addPlaces(places);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, 90)));
    palette->show();
}

}  // namespace holo::shell
