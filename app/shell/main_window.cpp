#include "app/shell/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>
#include <set>

#include "app/settings/settings.h"
#include "app/shell/docks/queue_panel.h"
#include "app/shell/error_bar.h"
#include "app/shell/filter_bar.h"
#include "app/shell/navigation_rail.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/pages/design_page.h"
#include "app/shell/pages/log_page.h"
#include "app/shell/pages/reliability_page.h"
#include "app/shell/pages/retrieval_page.h"
#include "app/shell/pages/runs_page.h"
#include "app/shell/pages/swap_page.h"
#include "app/shell/pages/train_page.h"
#include "app/shell/welcome_page.h"
#include "widgets/common/empty_state.h"

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
    , m_watch(m_study)
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
    connect(m_welcome, &WelcomePage::textWanted, this, &MainWindow::openText);
    connect(m_welcome, &WelcomePage::recentWanted, this, [this](const QString& folder) { openProject(folder); });
    connect(m_filterBar, &FilterBar::paletteWanted, this, &MainWindow::showPalette);
    connect(m_errorBar, &ErrorBar::logWanted, this, [this] {
        m_logPage->showWindowLog();
        showPage("log");
    });
    connect(&m_study, &bridge::Study::failed, this, [this](const QString& sentence) {
        tellWaiting({});
        showError(sentence);
    });
    connect(&m_queue, &bridge::JobQueue::failed, this, &MainWindow::showError);
    connect(&m_study, &bridge::Study::opened, this, [this] {
        tellWaiting({});
        // Whoever holds the index holds the project; a second window looks on.
        m_queue.open(m_study.folder(), m_study.isReadOnly());
        updateChoices();
        updateTitle();
        m_log.add(LogModel::Info, "window", tr("Opened %1: %n run(s)", nullptr, static_cast<int>(m_study.rows().size())).arg(m_study.folder()));
        if (!m_study.indexNote().isEmpty())
            m_log.add(LogModel::Info, "index", tr("Read only, the index is kept in memory: %1").arg(m_study.indexNote()));
    });
    connect(&m_study, &bridge::Study::rowsChanged, this, &MainWindow::updateChoices);
    connect(&m_study, &bridge::Study::runsRemoved, this, &MainWindow::updateChoices);
    connect(&m_document, &widgets::ProjectDocument::changed, this, &MainWindow::updateChoices);
    connect(&m_document, &widgets::ProjectDocument::modifiedChanged, this, &MainWindow::updateTitle);
    connect(&m_queue, &bridge::JobQueue::changed, this, &MainWindow::updateStatus);
    connect(&m_queue, &bridge::JobQueue::jobEnded, this, [this](const QString& run) { QTimer::singleShot(1000, this, [this, run] { reportEnd(run); }); });
    connect(m_queuePanel, &QueuePanel::summaryChanged, this, &MainWindow::updateStatus);
    connect(&m_log, &LogModel::problemsChanged, this, &MainWindow::updateStatus);

    connect(&m_watch, &bridge::StallWatch::stalled, this, &MainWindow::showError);
    connect(&m_tool, &bridge::EngineCall::failed, this, &MainWindow::showError);
    connect(&m_tool, &bridge::EngineCall::logged, this, [this](const QString& line) { m_log.add(LogModel::Info, "tool", line); });
    connect(&m_tool, &bridge::EngineCall::finished, this, [this] { report(tr("%1: done").arg(m_toolName)); });

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
    connect(page, &Page::comparisonWanted, this, [this](const QStringList& folders) {
        m_compare->setSources(folders);
        showPage("compare");
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

// A job that left the queue: a word if it is done, the reason if it failed, also where it failed before it had a row.
void MainWindow::reportEnd(const QString& run)
{
    if (!m_study.isOpen())
        return;
    const auto* row = m_study.row(run);
    const std::string state = row ? row->state : "failed";
    if (state == "failed" || m_queue.jobs().empty())
        QApplication::alert(this);  // the task bar says that there is something to see
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

void MainWindow::tellWaiting(const QString& text)
{
    for (auto* empty : findChildren<widgets::EmptyState*>())
        empty->setWaiting(text);
}

void MainWindow::updateChoices()
{
    QStringList arms;
    std::set<std::string> known;
    std::set<qint64> seeds(m_document.project().seeds.begin(), m_document.project().seeds.end());
    for (const auto& arm : m_document.project().arms)
        if (known.insert(arm.name).second)
            arms << QString::fromStdString(arm.name);
    for (const auto& [id, row] : m_study.rows()) {
        if (known.insert(row.arm).second)
            arms << QString::fromStdString(row.arm);
        seeds.insert(row.seed);
    }
    m_filter.setArms(arms);
    m_filter.setSeeds(QList<qint64>(seeds.begin(), seeds.end()));
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
        text += m_study.isLoaded() ? tr("  ·  %n run(s)", nullptr, static_cast<int>(m_study.rows().size())) : tr("  ·  reading the runs…");
        if (running > 0)
            text += tr(", %1 running  ·  %2 tok/s").arg(running).arg(QString::number(speed, 'f', 0));
        if (m_study.isReadOnly())
            text += tr("  ·  read only");
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
    setWindowTitle(name + QStringLiteral("[*]") + (m_study.isReadOnly() ? tr(" (read only)") : QString()) + QStringLiteral(" — Holonomy"));
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
