#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <cmath>
#include <csignal>
#include <functional>

#include "app/settings/settings.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/compare_page.h"
#include "core/base/files.h"
#include "core/config/scheme_json.h"
#include "core/run/run_directory.h"
#include "tests/gui/shelf.h"
#include "widgets/common/plurals.h"
#include "widgets/common/theme.h"
#include "widgets/editors/head_painter.h"
#include "widgets/models/run_tree_model.h"
#include "widgets/plots/heatmap_plot.h"
#include "widgets/plots/ladder_plot.h"
#include "test_paths.h"

using namespace holo;

namespace {

constexpr int kStepPatience = 240000;  // for machines with other work

// The longest time that the window did not get to its events.
class Pulse : public QObject {
public:
    Pulse()
    {
        m_timer.setInterval(5);
        m_timer.setTimerType(Qt::PreciseTimer);
        connect(&m_timer, &QTimer::timeout, this, [this] { m_longest = std::max(m_longest, m_clock.restart()); });
    }
    void start()
    {
        m_longest = 0;
        m_clock.start();
        m_timer.start();
    }
    qint64 stop()
    {
        m_timer.stop();
        return m_longest;
    }

private:
    QTimer m_timer;
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

}  // namespace

// What a researcher does on a first day, in the real window with the real engine: a new project, a ladder dragged, heads painted, two arms
// with two seeds queued, watched, one of them paused and continued, one killed and resumed, heatmap, swap, two checkpoints dropped, a figure
// exported. HOLONOMY_TOUR names a folder for a picture of each step.
class GuiTour : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void newProject();
    void dragTheLadder();
    void paintHeads();
    void queueFourRuns();
    void pauseAndContinue();
    void killAndResume();
    void watchToTheEnd();
    void heatmapAndTrials();
    void swapTheLadder();
    void dropTwoCheckpoints();
    void exportTheFigure();
    void cleanupTestCase();

private:
    template <class T>
    T* find(const QString& name) const
    {
        for (auto* widget : m_window->findChildren<T*>(name))
            if (widget->isVisible())
                return widget;
        return m_window->findChild<T*>(name);
    }
    void type(const QString& field, const QString& text);
    QPushButton* button(const QString& text) const;
    QString state(const QString& run) const;
    QString runOf(const QString& arm, qint64 seed) const;
    void picture(const QString& name);
    void dropOn(const QString& well, const QString& path);

    QTemporaryDir m_dir;
    std::unique_ptr<settings::Settings> m_settings;
    std::unique_ptr<shell::MainWindow> m_window;
    Pulse m_pulse;
    qint64 m_longest = 0;
    int m_number = 0;
    bool m_failed = false;
};

void GuiTour::initTestCase()
{
    if (qEnvironmentVariableIsEmpty("HOLONOMY_ENGINE"))
        qputenv("HOLONOMY_ENGINE", HOLO_BIN_DIR "/holonomy-engine");
    if (!QFileInfo(qEnvironmentVariable("HOLONOMY_ENGINE")).isExecutable())
        QSKIP("the engine is not built");
    QLocale::setDefault(QLocale::c());
    widgets::ensureFont();
    widgets::installPlurals();
    widgets::applyTheme(widgets::ThemeMode::Light);
    m_settings = std::make_unique<settings::Settings>(m_dir.filePath("h.ini"));
    m_window = std::make_unique<shell::MainWindow>(*m_settings);
    m_window->queue().setDevices({"cpu"});
    m_window->resize(1300, 860);
    m_window->move(0, 0);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    picture("welcome");
}

// Each step stands on the one before.
void GuiTour::init()
{
    if (m_failed)
        QSKIP("an earlier step failed");
}

void GuiTour::cleanup() { m_failed = m_failed || QTest::currentTestFailed(); }

void GuiTour::cleanupTestCase()
{
    if (!m_window)
        return;
    for (const auto& [id, row] : m_window->study().rows())
        if (const auto heartbeat = run::RunDirectory(m_window->study().runFolder(id).toStdString()).readHeartbeat(); heartbeat && run::isAlive(*heartbeat))
            ::kill(static_cast<pid_t>(heartbeat->pid), SIGKILL);
    m_window->setNextCloseChoice(shell::MainWindow::CloseChoice::KeepRunning);
    m_window->close();
    m_window.reset();
}

void GuiTour::picture(const QString& name)
{
    const QString folder = qEnvironmentVariable("HOLONOMY_TOUR");
    if (folder.isEmpty())
        return;
    QDir().mkpath(folder);
    QTest::qWait(700);  // timers of the plots
    m_window->grab().save(QStringLiteral("%1/%2-%3.png").arg(folder).arg(++m_number, 2, 10, QLatin1Char('0')).arg(name));
}

void GuiTour::type(const QString& field, const QString& text)
{
    auto* edit = m_window->findChild<QLineEdit*>(field);
    QVERIFY2(edit, qPrintable(field));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, text);
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(m_window->errorSentence(), QString());
}

QPushButton* GuiTour::button(const QString& text) const
{
    for (auto* b : m_window->findChildren<QPushButton*>())
        if (b->text() == text && b->isVisible())
            return b;
    return nullptr;
}

QString GuiTour::state(const QString& run) const
{
    const auto* row = m_window->study().row(run);
    return row ? QString::fromStdString(row->state) : QString();
}

QString GuiTour::runOf(const QString& arm, qint64 seed) const
{
    const auto* row = m_window->study().find(arm, seed);
    return row ? QString::fromStdString(row->id) : QString();
}

void GuiTour::newProject()
{
    const QString folder = m_dir.filePath("study");
    QTimer::singleShot(300, this, [&] {
        auto* dialog = QApplication::activeModalWidget();
        if (!dialog)
            return;
        dialog->findChild<QLineEdit*>("folder")->setText(folder);
        QTest::keyClick(dialog->findChild<QLineEdit*>("folder"), Qt::Key_Return);
    });
    for (auto* action : m_window->findChildren<QAction*>())
        if (action->shortcut() == QKeySequence(QKeySequence::New))
            action->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().isIdle(), kStepPatience);
    QCOMPARE(m_window->document().project().arms.size(), std::size_t(2));
    m_window->showPage("design");
    // A training of seconds: what is learned does not matter here.
    const std::pair<const char*, const char*> fields[] = {{"train.steps", "200"}, {"train.checkpoint_every", "50"}, {"data.synthetic.documents", "400"}, {"data.synthetic.val_documents", "32"}, {"eval.lengths", "64, 128"},
        {"eval.depths", "0, 0.5, 1"}, {"eval.trials", "4"}, {"eval.every", "100"}, {"eval.every_trials", "2"}, {"eval.perplexity_tokens", "512"}};
    for (const auto& [field, text] : fields)
        type(field, text);
    QVERIFY(m_window->document().problems().empty());
    picture("new-project");
}

void GuiTour::dragTheLadder()
{
    auto* arms = find<QListWidget>("armList");
    arms->setCurrentRow(1);
    auto* plot = find<widgets::LadderPlot>("thetaPlot");
    QVERIFY(plot && plot->isVisible());
    const auto scheme = [this] { return config::toJson(m_window->document().project().arms[1].scheme); };
    const auto before = scheme();
    const QStringList line = plot->csv().split('\n')[2].split(',');
    const double theta = line[1].toDouble();
    const QPoint from(static_cast<int>(plot->xAxis->coordToPixel(line[0].toInt())), static_cast<int>(plot->yAxis->coordToPixel(std::log10(theta))));
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    for (int i = 1; i <= 8; ++i)
        QTest::mouseMove(plot, from - QPoint(0, 3 * i));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, from - QPoint(0, 24));
    QVERIFY(scheme() != before);
    picture("ladder-dragged");
    // Ctrl+Z takes the whole drag back at once.
    m_window->document().undoStack()->undo();
    QVERIFY(scheme() == before);
}

void GuiTour::paintHeads()
{
    auto* painter = m_window->findChild<widgets::HeadPainter*>();
    QVERIFY(painter && painter->isVisible());
    const int had = painter->specialHeads();
    // The first head that is not special, and the one right of it.
    QPoint at;
    for (int x = 0; x < painter->width() && at.isNull(); x += 4) {
        QTest::mouseMove(painter, QPoint(x, 22));
        QTest::mousePress(painter, Qt::LeftButton, {}, QPoint(x, 22));
        QTest::mouseRelease(painter, Qt::LeftButton, {}, QPoint(x, 22));
        if (painter->specialHeads() > had)
            at = QPoint(x, 22);
        else if (painter->specialHeads() < had)
            m_window->document().undoStack()->undo();
    }
    QVERIFY(!at.isNull());
    QCOMPARE(painter->specialHeads(), had + 1);
    picture("heads-painted");
}

void GuiTour::queueFourRuns()
{
    auto* queue = find<QPushButton>("queueRuns");
    QTRY_VERIFY(queue->isEnabled());
    QVERIFY2(queue->text().contains("4"), qPrintable(queue->text()));
    m_pulse.start();
    QTest::mouseClick(queue, Qt::LeftButton);
    QCOMPARE(m_window->currentPage(), QString("runs"));
    QCOMPARE(m_window->queue().jobs().size(), std::size_t(4));
    QTRY_VERIFY_WITH_TIMEOUT(std::any_of(m_window->study().rows().begin(), m_window->study().rows().end(), [](const auto& entry) { return entry.second.state == "running" && entry.second.step > 0; }), kStepPatience);
    picture("queued");
}

void GuiTour::pauseAndContinue()
{
    QString run;
    QTRY_VERIFY_WITH_TIMEOUT([&] {
        for (const auto& [id, row] : m_window->study().rows())
            if (row.state == "running" && row.step > 0 && row.step < 120)
                run = id;
        return !run.isEmpty();
    }(), kStepPatience);
    m_window->filter().selectRun(run);
    QTRY_VERIFY(button("Pause"));
    QTest::mouseClick(button("Pause"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(state(run), QString("paused"), kStepPatience);
    const auto step = m_window->study().row(run)->step;
    m_window->showPage("train");
    picture("paused");
    QTest::qWait(300);
    QVERIFY(m_window->study().row(run)->step <= step + 1);  // the row of the step under way may still come
    QTRY_VERIFY(button("Go on"));
    QTest::mouseClick(button("Go on"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state(run) != "paused" && m_window->study().row(run)->step > step + 1, kStepPatience);
}

// kill -9: the window lives, the run reads interrupted, and resuming it is one button away.
void GuiTour::killAndResume()
{
    QString victim;
    QTRY_VERIFY_WITH_TIMEOUT([&] {
        for (const auto& [id, row] : m_window->study().rows())
            if (row.state == "running" && row.checkpoints > 0 && row.step < 190)
                victim = id;
        return !victim.isEmpty();
    }(), kStepPatience);
    const auto heartbeat = run::RunDirectory(m_window->study().runFolder(victim).toStdString()).readHeartbeat();
    QVERIFY(heartbeat);
    QCOMPARE(::kill(static_cast<pid_t>(heartbeat->pid), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(state(victim), QString("interrupted"), kStepPatience);
    m_window->filter().selectRun(victim);
    m_window->showPage("runs");
    QTRY_VERIFY_WITH_TIMEOUT(button("Resume"), kStepPatience);
    picture("interrupted");
    QTest::mouseClick(button("Resume"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(state(victim) == "running" || state(victim) == "done", kStepPatience);
}

void GuiTour::watchToTheEnd()
{
    m_window->showPage("train");
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().rows().size() == 4 && m_window->queue().jobs().empty(), 2 * kStepPatience);
    m_longest = m_pulse.stop();
    qInfo("longest pause of the window while the engine trained: %lld ms", static_cast<long long>(m_longest));
    for (const auto& [id, row] : m_window->study().rows()) {
        QTRY_COMPARE_WITH_TIMEOUT(state(id), QString("done"), kStepPatience);
        QCOMPARE(row.step, 200);
    }
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().isIdle(), kStepPatience);
    picture("trained");
    m_window->showPage("runs");
    picture("runs");
}

void GuiTour::heatmapAndTrials()
{
    m_window->showPage("retrieval");
    QTRY_VERIFY_WITH_TIMEOUT(find<widgets::HeatmapPlot>("heatmap0") && find<widgets::HeatmapPlot>("heatmap1") && find<widgets::HeatmapPlot>("heatmap1")->isVisible(), kStepPatience);
    picture("retrieval");
    auto* map = find<widgets::HeatmapPlot>("heatmap1");
    const QPointF cell = map->cellPicture(1, 0).rect.center();
    QTest::mouseDClick(map, Qt::LeftButton, {}, cell.toPoint());
    QTRY_VERIFY(m_window->findChild<QTableView*>("trials"));
    auto* trials = m_window->findChild<QTableView*>("trials");
    QTRY_COMPARE(trials->model()->rowCount(), 8);  // two seeds, four trials
    trials->window()->close();
}

void GuiTour::swapTheLadder()
{
    m_window->filter().selectRun(runOf("mobius25", 1));
    m_window->showPage("swap");
    for (auto* spin : m_window->findChildren<QSpinBox*>())
        if (spin->isVisible())
            spin->setValue(4);
    auto* swap = find<QPushButton>("runSwap");
    QTest::mouseClick(swap, Qt::LeftButton);
    auto* before = m_window->findChild<widgets::HeatmapPlot*>("swapBefore");
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->errorSentence().isEmpty() || (before->isVisible() && before->csv().count('\n') > 2), kStepPatience);
    QCOMPARE(m_window->errorSentence(), QString());
    picture("swap");
}

void GuiTour::dropOn(const QString& name, const QString& path)
{
    auto* well = m_window->findChild<QWidget*>(name);
    QVERIFY(well && well->isVisible());
    Shelf shelf(QUrl::fromLocalFile(path));
    shelf.move(1320, 100);
    shelf.show();
    QVERIFY(QTest::qWaitForWindowExposed(&shelf));
    const QPoint target = m_window->mapFromGlobal(well->mapToGlobal(well->rect().center()));
    // QDrag::exec blocks in its own loop: the moves that follow come from timers.
    QTimer::singleShot(200, this, [&] { QTest::mouseMove(m_window->windowHandle(), target - QPoint(10, 0)); });
    QTimer::singleShot(400, this, [&] { QTest::mouseMove(m_window->windowHandle(), target); });
    QTimer::singleShot(800, this, [&] { QTest::mouseRelease(m_window->windowHandle(), Qt::LeftButton, {}, target); });
    QTest::mousePress(shelf.windowHandle(), Qt::LeftButton, {}, QPoint(20, 20));
    QTest::mouseMove(shelf.windowHandle(), QPoint(40, 30));
    QTest::qWait(1000);
}

void GuiTour::dropTwoCheckpoints()
{
    m_window->showPage("compare");
    auto* page = m_window->findChild<shell::ComparePage*>();
    const auto checkpoint = [&](const QString& run) { return m_window->study().runFolder(run) + "/checkpoints/step-200"; };
    QVERIFY(QFileInfo::exists(checkpoint(runOf("standard", 1))));
    dropOn("wellA", checkpoint(runOf("standard", 1)));
    QTRY_VERIFY_WITH_TIMEOUT(page->source(0) && page->source(0)->grid, kStepPatience);
    dropOn("wellB", checkpoint(runOf("mobius25", 1)));
    QTRY_VERIFY_WITH_TIMEOUT(page->source(1) && page->source(1)->grid, kStepPatience);
    QTRY_VERIFY(!m_window->findChild<widgets::HeatmapPlot*>("mapDifference")->csv().isEmpty());
    picture("compare");
    auto* tabs = m_window->findChild<QTabWidget*>("compareTabs");
    auto* weights = m_window->findChild<QTableView*>("weightTable");
    tabs->setCurrentWidget(weights->parentWidget());
    QTRY_VERIFY_WITH_TIMEOUT(weights->model()->rowCount() > 5, kStepPatience);
    picture("weights");
    tabs->setCurrentIndex(0);
}

// Right-click, Export PDF, Enter.
void GuiTour::exportTheFigure()
{
    auto* map = m_window->findChild<widgets::HeatmapPlot*>("mapA");
    QVERIFY(map->isVisible());
    const QString file = m_dir.filePath("figure.pdf");
    std::function<void()> answer = [&] {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            for (auto* action : menu->actions())
                if (action->text().contains("PDF")) {
                    QTimer::singleShot(200, this, answer);
                    menu->setActiveAction(action);
                    QTest::keyClick(menu, Qt::Key_Return);
                    return;
                }
        }
        if (auto* dialog = QApplication::activeModalWidget()) {
            dialog->findChild<QLineEdit*>("exportFile")->setText(file);
            QTest::keyClick(dialog->findChild<QLineEdit*>("exportFile"), Qt::Key_Return);
            return;
        }
        QTimer::singleShot(200, this, answer);
    };
    QTimer::singleShot(200, this, answer);
    QContextMenuEvent event(QContextMenuEvent::Mouse, map->rect().center(), map->mapToGlobal(map->rect().center()));
    QApplication::sendEvent(map, &event);
    QTRY_VERIFY(QFileInfo(file).size() > 1000);
    QVERIFY(readFile(file.toStdString()).starts_with("%PDF"));
    QVERIFY(readFile(m_dir.filePath("figure.csv").toStdString()).starts_with("depth,64,128"));
}

QTEST_MAIN(GuiTour)
#include "tst_gui_tour.moc"
