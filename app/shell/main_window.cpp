#include "app/shell/main_window.h"

#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

#include "app/settings/settings.h"
#include "app/shell/command_palette.h"
#include "app/shell/docks/inspector.h"
#include "app/shell/docks/queue_panel.h"
#include "app/shell/error_bar.h"
#include "app/shell/filter_bar.h"
#include "app/shell/navigation_rail.h"
#include "app/shell/new_project_dialog.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/pages/design_page.h"
#include "app/shell/pages/log_page.h"
#include "app/shell/pages/reliability_page.h"
#include "app/shell/pages/retrieval_page.h"
#include "app/shell/pages/runs_page.h"
#include "app/shell/pages/swap_page.h"
#include "app/shell/pages/train_page.h"
#include "app/shell/welcome_page.h"
#include "core/base/error.h"
#include "widgets/common/icons.h"

namespace holo::shell {

namespace {

constexpr int kLayoutVersion = 1;

}  // namespace

const QStringList& MainWindow::pageNames()
{
    static const QStringList names = {"design", "runs", "train", "retrieval", "swap", "compare", "reliability", "log"};
    return names;
}

MainWindow::MainWindow(settings::Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_queue(m_controller)
    , m_context{m_study, m_controller, m_queue, m_document, m_filter, m_log}
    , m_rail(new NavigationRail)
    , m_filterBar(new FilterBar(m_filter))
    , m_errorBar(new ErrorBar)
    , m_pages(new QStackedWidget)
    , m_center(new QStackedWidget)
    , m_welcome(new WelcomePage)
    , m_statusProject(new QLabel)
    , m_statusQueue(new QLabel)
    , m_statusProblems(new QLabel)
{
    setObjectName("mainWindow");
    setWindowIcon(QIcon(":/icons/holonomy.svg"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    resize(1500, 950);
    setMinimumSize(900, 560);

    auto* work = new QWidget;
    auto* workLayout = new QVBoxLayout(work);
    workLayout->setContentsMargins(0, 0, 0, 0);
    workLayout->setSpacing(0);
    workLayout->addWidget(m_filterBar);
    workLayout->addWidget(m_pages, 1);
    m_center->addWidget(m_welcome);
    m_center->addWidget(work);
    auto* column = new QWidget;
    auto* columnLayout = new QVBoxLayout(column);
    columnLayout->setContentsMargins(0, 0, 0, 0);
    columnLayout->setSpacing(0);
    columnLayout->addWidget(m_errorBar);
    columnLayout->addWidget(m_center, 1);
    auto* central = new QWidget;
    auto* layout = new QHBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_rail);
    layout->addWidget(column, 1);
    setCentralWidget(central);

    m_compare = new ComparePage(m_context);
    m_logPage = new LogPage(m_context);
    addPage(new DesignPage(m_context), "design", tr("Design"), tr("Ladders, heads, forms, plan"));
    addPage(new RunsPage(m_context), "runs", tr("Runs"), tr("Table of all runs"));
    addPage(new TrainPage(m_context), "train", tr("Train"), tr("Live curves"));
    addPage(new RetrievalPage(m_context), "retrieval", tr("Retrieval"), tr("Needle heatmaps"));
    addPage(new SwapPage(m_context), "swap", tr("Swap"), tr("Another ladder under the same weights"));
    addPage(m_compare, "compare", tr("Compare"), tr("Two runs or checkpoints side by side"));
    addPage(new ReliabilityPage(m_context), "reliability", tr("Reliability"), tr("Spread over seeds and its tests"));
    addPage(m_logPage, "log", tr("Log"), tr("What the window and the workers said"));
    connect(m_rail, &NavigationRail::chosen, this, [this](int page) { showPage(pageNames()[page]); });

    makeDocks();
    makeMenus();
    statusBar()->addWidget(m_statusProject, 1);
    statusBar()->addPermanentWidget(m_statusQueue);
    statusBar()->addPermanentWidget(m_statusProblems);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(8, 0, 8, 0);

    connect(m_welcome, &WelcomePage::sampleWanted, this, &MainWindow::openSample);
    connect(m_welcome, &WelcomePage::newWanted, this, &MainWindow::newProject);
    connect(m_welcome, &WelcomePage::openWanted, this, &MainWindow::openFolder);
    connect(m_welcome, &WelcomePage::recentWanted, this, [this](const QString& folder) { openProject(folder); });
    connect(m_filterBar, &FilterBar::paletteWanted, this, &MainWindow::showPalette);
    connect(m_errorBar, &ErrorBar::logWanted, this, [this] {
        m_logPage->showWindowLog();
        showPage("log");
    });
    connect(&m_study, &bridge::Study::failed, this, &MainWindow::showError);
    connect(&m_queue, &bridge::JobQueue::failed, this, &MainWindow::showError);
    connect(&m_study, &bridge::Study::opened, this, [this] {
        updateChoices();
        m_log.add(LogModel::Info, "window", tr("Opened %1: %n run(s)", nullptr, static_cast<int>(m_study.rows().size())).arg(m_study.folder()));
        if (!m_study.indexNote().isEmpty())
            m_log.add(LogModel::Info, "index", tr("The index is kept in memory: %1").arg(m_study.indexNote()));
    });
    connect(&m_study, &bridge::Study::rowsChanged, this, &MainWindow::updateChoices);
    connect(&m_study, &bridge::Study::runsRemoved, this, &MainWindow::updateChoices);
    connect(&m_document, &widgets::ProjectDocument::changed, this, &MainWindow::updateChoices);
    connect(&m_document, &widgets::ProjectDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&m_queue, &bridge::JobQueue::changed, this, &MainWindow::updateStatus);
    connect(&m_queue, &bridge::JobQueue::jobEnded, this, [this](const QString& run) { QTimer::singleShot(1000, this, [this, run] { reportEnd(run); }); });
    connect(m_queuePanel, &QueuePanel::summaryChanged, this, &MainWindow::updateStatus);
    connect(&m_log, &LogModel::problemsChanged, this, &MainWindow::updateStatus);

    m_defaultLayout = saveState(kLayoutVersion);
    m_welcome->setRecent(m_settings.recent());
    m_rail->setEnabled(false);
    if (!m_settings.note().isEmpty())
        showError(m_settings.note());
    showPage(pageNames().value(m_settings.page(), "design"));
    // Geometry first, then the layout; a layout of another version is refused by Qt and the default stays.
    restoreGeometry(m_settings.geometry());
    if (!m_settings.layout().isEmpty())
        restoreState(m_settings.layout(), kLayoutVersion);
    const auto screens = QGuiApplication::screens();
    if (std::none_of(screens.begin(), screens.end(), [this](const QScreen* screen) { return screen->availableGeometry().intersects(frameGeometry()); }))
        resetLayout();
    updateTitle();
    updateStatus();
}

MainWindow::~MainWindow() = default;

void MainWindow::addPage(Page* page, const QString& icon, const QString& word, const QString& tip)
{
    page->setObjectName(pageNames()[m_pages->count()] + "Page");
    m_pages->addWidget(page);
    m_titles << word;
    m_rail->addPage(icon, word, tip);
    connect(page, &Page::failed, this, &MainWindow::showError);
    connect(page, &Page::noted, this, &MainWindow::report);
    connect(page, &Page::pageWanted, this, &MainWindow::showPage);
}

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
        if (!icon.isEmpty())
            a->setIcon(widgets::icon(icon));
        return a;
    };
    auto* project = menuBar()->addMenu(tr("&Project"));
    action(project, tr("&New project…"), QKeySequence::New, "add", &MainWindow::newProject);
    action(project, tr("&Open folder…"), QKeySequence::Open, "folder", &MainWindow::openFolder);
    action(project, tr("Open the tiny &sample"), {}, "play", &MainWindow::openSample);
    action(project, tr("&Save project"), QKeySequence::Save, "save", &MainWindow::saveProject);
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
    edit->addActions({undo, redo});

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
    auto* help = menuBar()->addMenu(tr("&Help"));
    action(help, tr("&About Holonomy"), {}, {}, [this] {
        QMessageBox::about(this, tr("About Holonomy"),
            tr("<b>Holonomy</b><p>A workbench for experiments on positional encodings.</p><p>Free software under the GNU General Public License, version 3 or later.</p>"));
    });
}

void MainWindow::showPage(const QString& name)
{
    const int page = static_cast<int>(pageNames().indexOf(name));
    if (page < 0)
        return;
    m_pages->setCurrentIndex(page);
    m_rail->setCurrent(page);
    m_filterBar->setTitle(m_titles[page]);
    m_settings.setPage(page);
}

QString MainWindow::currentPage() const { return pageNames()[m_pages->currentIndex()]; }

void MainWindow::setTheme(widgets::ThemeMode mode) { widgets::applyTheme(mode); }

void MainWindow::resetLayout()
{
    restoreState(m_defaultLayout, kLayoutVersion);
    const QRect screen = QGuiApplication::primaryScreen()->availableGeometry();
    resize(std::min(1500, screen.width()), std::min(950, screen.height()));
    move(screen.topLeft());
    m_settings.resetLayout();
}

void MainWindow::showError(const QString& sentence)
{
    m_log.add(LogModel::Error, "window", sentence);
    m_errorBar->show(sentence);
}

QString MainWindow::errorSentence() const { return m_errorBar->sentence(); }

void MainWindow::report(const QString& sentence)
{
    m_log.add(LogModel::Info, "window", sentence);
    statusBar()->showMessage(sentence, 5000);
}

void MainWindow::showPalette()
{
    QList<QAction*> actions;
    for (auto* menu : menuBar()->findChildren<QMenu*>())
        for (auto* a : menu->actions())
            if (!a->isSeparator() && !a->menu())
                actions << a;
    auto* palette = new CommandPalette(actions, this);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, 90)));
    palette->show();
}

// A job that left the queue: a word if it is done, the reason if it failed, also where it failed before it had a row.
void MainWindow::reportEnd(const QString& run)
{
    if (!m_study.isOpen())
        return;
    const auto* row = m_study.row(run);
    const std::string state = row ? row->state : "failed";
    if (state == "done") {
        report(tr("%1, seed %2: done").arg(QString::fromStdString(row->arm)).arg(row->seed));
        return;
    }
    QString reason = row ? QString::fromStdString(row->message) : QString();
    if (reason.isEmpty()) {
        QFile log(m_study.runFolder(run) + "/worker.log");
        if (log.open(QIODevice::ReadOnly)) {
            log.seek(std::max<qint64>(0, log.size() - 4096));
            reason = QString::fromUtf8(log.readAll().trimmed().split('\n').last());
        }
    }
    if (state == "interrupted")
        report(tr("%1: interrupted; it can be resumed").arg(run));
    else
        showError(tr("%1 ended: %2").arg(run, reason.isEmpty() ? tr("its worker.log says nothing") : reason));
}

bool MainWindow::openProject(const QString& path)
{
    try {
        const auto file = config::projectFile(QDir(path).absolutePath().toStdString());
        const config::Project project = config::readProject(file);
        if (!mayLeaveProject())
            return false;
        const QString folder = QString::fromStdString(file.parent_path().string());
        m_queue.close();
        m_study.close();
        m_filter.selectRun({});
        m_document.load(file.parent_path(), project);
        m_study.open(folder);
        m_queue.open(folder);
        m_settings.addRecent(folder);
        m_errorBar->show({});
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        updateChoices();
        updateTitle();
        return true;
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
        return false;
    }
}

void MainWindow::closeProject()
{
    if (!m_document.isOpen() || !mayLeaveProject())
        return;
    m_queue.close();
    m_study.close();
    m_document.close();
    m_filter.setArms({});
    m_center->setCurrentIndex(0);
    m_rail->setEnabled(false);
    m_welcome->setRecent(m_settings.recent());
    updateTitle();
    updateStatus();
}

bool MainWindow::mayLeaveProject()
{
    if (!m_document.isModified())
        return true;
    // Written aside rather than asked for: nothing is lost, and the user decides later.
    try {
        m_document.save();
        report(tr("Saved %1").arg(QString::fromStdString((m_document.folder() / "project.json").string())));
        return true;
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
        return false;
    }
}

void MainWindow::saveProject()
{
    if (!m_document.isOpen())
        return;
    try {
        m_document.save();
        report(tr("Saved %1").arg(QString::fromStdString((m_document.folder() / "project.json").string())));
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::openSample()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::HomeLocation) + "/holonomy/tiny";
    try {
        if (!QFileInfo::exists(folder + "/project.json")) {
            if (!QDir().mkpath(folder))
                throw Error(ErrorKind::Resource, folder.toStdString() + ": the folder cannot be made.", {folder.toStdString(), "", "", ""});
            config::writeProject((folder + "/project.json").toStdString(), config::projectTemplate("tiny"));
        }
        openProject(folder);
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::newProject()
{
    NewProjectDialog dialog(this);
    if (!m_nextFolder.isEmpty())
        dialog.setFolder(std::exchange(m_nextFolder, {}));
    else if (dialog.exec() != QDialog::Accepted)
        return;
    try {
        openProject(dialog.create());
    } catch (const Error& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void MainWindow::openFolder()
{
    QString folder = std::exchange(m_nextFolder, {});
    if (folder.isEmpty())
        folder = QFileDialog::getExistingDirectory(this, tr("Open a project or run folder"));
    if (!folder.isEmpty())
        openPaths({folder});
}

void MainWindow::openPaths(const QStringList& paths)
{
    QStringList problems;
    for (const QString& path : paths)
        if (const QString problem = openPath(path); !problem.isEmpty())
            problems << problem;
    if (!problems.isEmpty())
        showError(problems.join(' '));
}

QString MainWindow::openPath(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return tr("%1: there is no such file or folder.").arg(path);
    const QDir folder = info.isDir() ? QDir(info.absoluteFilePath()) : info.absoluteDir();
    const bool isProjectFile = !info.isDir() && info.fileName() == "project.json";
    if (isProjectFile || (info.isDir() && folder.exists("project.json"))) {
        const QString before = m_errorBar->sentence();
        if (openProject(folder.absolutePath()))
            return {};
        return m_errorBar->sentence() == before ? QString() : m_errorBar->sentence();
    }
    // A run folder below a project opens the project and selects the run; elsewhere it is compared as it lies.
    QDir run = folder;
    while (!run.exists("run.json") && run.dirName() != "runs" && run.cdUp() && !run.isRoot()) { }
    if (run.exists("run.json")) {
        QDir project = run;
        const bool inProject = project.cdUp() && project.dirName() == "runs" && project.cdUp() && project.exists("project.json");
        if (inProject && QDir(m_study.folder()) != project && !m_study.isOpen())
            openProject(project.absolutePath());
        if (inProject && QDir(m_study.folder()) == project && info.isDir() && folder == run) {
            m_filter.selectRun(run.dirName());
            m_compare->addSource(run.absolutePath());
            if (!m_compare->isAnySet() || currentPage() != "compare")
                showPage("train");
            return {};
        }
        m_compare->addSource(info.absoluteFilePath());
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        showPage("compare");
        return {};
    }
    const QString ending = info.suffix().toLower();
    if (ending == "safetensors" || (info.isDir() && folder.exists("config.json"))) {
        m_compare->addSource(info.absoluteFilePath());
        m_center->setCurrentIndex(1);
        m_rail->setEnabled(true);
        showPage("compare");
        return {};
    }
    if (!info.isDir() && QStringList{"txt", "jsonl", "json", "md", "bin"}.contains(ending)) {
        if (!m_document.isOpen())
            return tr("%1: open a project first; the text then becomes its data.").arg(path);
        const QString problem = m_document.setField("data.source", Json(info.absoluteFilePath().toStdString()));
        if (problem.isEmpty()) {
            report(tr("%1 is now the data of this project (Ctrl+Z takes it back)").arg(info.fileName()));
            showPage("design");
        }
        return problem;
    }
    return tr("%1: neither a project, a run, a checkpoint nor a text.").arg(path);
}

void MainWindow::updateChoices()
{
    QStringList arms;
    QList<qint64> seeds;
    for (const auto& arm : m_document.project().arms)
        arms << QString::fromStdString(arm.name);
    for (const auto seed : m_document.project().seeds)
        seeds << seed;
    for (const auto& [id, row] : m_study.rows()) {
        const QString arm = QString::fromStdString(row.arm);
        if (!arms.contains(arm))
            arms << arm;
        if (!seeds.contains(row.seed))
            seeds << row.seed;
    }
    std::sort(seeds.begin(), seeds.end());
    m_filter.setArms(arms);
    m_filter.setSeeds(seeds);
    updateStatus();
}

QStringList MainWindow::activeRuns() const
{
    QStringList runs;
    for (const auto& [id, row] : m_study.rows())
        if (bridge::RunController::canStop(row))
            runs << id;
    return runs;
}

void MainWindow::updateStatus()
{
    if (!m_study.isOpen()) {
        m_statusProject->setText(tr("no project"));
        m_statusQueue->clear();
    } else {
        double speed = 0;
        int running = 0;
        for (const auto& [id, row] : m_study.rows())
            if (row.state == "running") {
                ++running;
                if (std::isfinite(row.tokensPerSecond))
                    speed += row.tokensPerSecond;
            }
        QString text = m_study.folder();
        const QString home = QDir::homePath();
        if (text.startsWith(home + '/'))
            text.replace(0, home.size(), "~");
        text += tr("  ·  %n run(s)", nullptr, static_cast<int>(m_study.rows().size()));
        if (running > 0)
            text += tr(", %1 running  ·  %2 tok/s").arg(running).arg(QString::number(speed, 'f', 0));
        if (!m_study.indexNote().isEmpty())
            text += tr("  ·  index in memory");
        m_statusProject->setText(text);
        m_statusQueue->setText(m_queue.jobs().empty() ? QString() : m_queuePanel->summary());
    }
    m_statusProblems->setText(m_log.problems() > 0 ? QStringLiteral("⚠ %1").arg(m_log.problems()) : QString());
}

void MainWindow::updateTitle()
{
    if (!m_document.isOpen()) {
        setWindowTitle("Holonomy");
        return;
    }
    QString name = QString::fromStdString(m_document.project().name);
    if (name.isEmpty())
        name = QDir(m_study.folder()).dirName();
    setWindowTitle(name + QStringLiteral("[*] — Holonomy"));
    setWindowModified(m_document.isModified());
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    const QStringList active = activeRuns();
    if (!active.isEmpty()) {
        CloseChoice choice = std::exchange(m_nextClose, CloseChoice::Ask);
        if (choice == CloseChoice::Ask && m_settings.stopRunsWithWindow())
            choice = CloseChoice::StopAndSave;
        if (choice == CloseChoice::Ask) {
            QMessageBox box(QMessageBox::Question, tr("Runs are active"), tr("%n run(s) are still training.", nullptr, static_cast<int>(active.size())), QMessageBox::NoButton, this);
            auto* keep = box.addButton(tr("Keep running in the background"), QMessageBox::AcceptRole);
            auto* stop = box.addButton(tr("Stop and save"), QMessageBox::DestructiveRole);
            box.addButton(QMessageBox::Cancel);
            box.setDefaultButton(keep);
            box.exec();
            choice = box.clickedButton() == keep ? CloseChoice::KeepRunning : box.clickedButton() == stop ? CloseChoice::StopAndSave : CloseChoice::Cancel;
        }
        if (choice == CloseChoice::Cancel) {
            event->ignore();
            return;
        }
        if (choice == CloseChoice::StopAndSave) {
            m_queue.setPaused(true);
            for (const QString& run : active)
                m_controller.stop(m_study.runFolder(run));
        }
    }
    if (!mayLeaveProject()) {
        event->ignore();
        return;
    }
    m_settings.setWindow(saveGeometry(), saveState(kLayoutVersion));
    m_queue.close();
    m_study.close();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList paths;
    QStringList remote;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
        else
            remote << url.toDisplayString();
    }
    event->acceptProposedAction();
    openPaths(paths);
    if (!remote.isEmpty())
        showError(tr("%1: only files on this machine can be opened; nothing is fetched.").arg(remote.join(", ")));
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateStatus();
}

}  // namespace holo::shell
