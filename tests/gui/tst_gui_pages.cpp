#include <QAbstractItemModelTester>
#include <QDir>
#include <QDragEnterEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "app/settings/settings.h"
#include "app/shell/command_palette.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/pages/swap_page.h"
#include "core/base/json.h"
#include "tests/gui/fixture_project.h"
#include "widgets/common/theme.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/heatmap_plot.h"
#include "widgets/plots/ladder_plot.h"
#include "widgets/plots/strip_plot.h"

using namespace holo;
using namespace holo::shell;

namespace {

// A drop as the window system hands it over: entering first, which decides who gets it.
void drop(QWidget* target, QMimeData& data)
{
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &enter);
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(target, &event);
}

}  // namespace

class GuiPages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void everyPageOpensInBothThemes();
    void runTableShowsEveryRun();
    void selectionIsShared();
    void hiddenArmsLeaveEveryPage();
    void liveStepsArrive();
    void resumedRunsShowTheNewestAttempt();
    void heatmapsFollowTheSlider();
    void compareReadsTwoRuns();
    void swapShowsItsDocument();
    void droppedRunsAndText();
    void remoteAddressesAreRefused();
    void oddPathsOpenLiterally();
    void brokenProjectsEndInASentence();
    void undoReachesTheLadder();
    void layoutOfAnotherVersionIsIgnored();
    void welcomeBeforeAProject();
    void paletteFindsActions();

private:
    bool waitIdle() { return QTest::qWaitFor([this] { return m_window->study().isIdle(); }, 20000); }
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<test::FixtureProject> m_fixture;
    std::unique_ptr<settings::Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void GuiPages::initTestCase()
{
    widgets::ensureFont();
    widgets::applyTheme(widgets::ThemeMode::Light);
}

void GuiPages::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    m_fixture = std::make_unique<test::FixtureProject>(m_dir->filePath("study"));
    m_settings = std::make_unique<settings::Settings>(m_dir->filePath("holonomy.ini"));
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->queue().setDevices({});
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QVERIFY(m_window->openProject(m_fixture->folder()));
    QVERIFY(waitIdle());
}

void GuiPages::cleanup()
{
    m_window->setNextCloseChoice(MainWindow::CloseChoice::KeepRunning);
    m_window->close();
    m_window.reset();
}

void GuiPages::everyPageOpensInBothThemes()
{
    for (const auto mode : {widgets::ThemeMode::Light, widgets::ThemeMode::Dark}) {
        m_window->setTheme(mode);
        for (const QString& page : MainWindow::pageNames()) {
            m_window->showPage(page);
            QTest::qWait(30);
            QVERIFY2(!m_window->grab().isNull(), qPrintable(page));
        }
    }
    m_window->setTheme(widgets::ThemeMode::Light);
    QCOMPARE(m_window->errorSentence(), QString());
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    for (int i = 0; i < 8; ++i) {
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
        QTRY_COMPARE(m_window->currentPage(), MainWindow::pageNames()[i]);
    }
}

void GuiPages::runTableShowsEveryRun()
{
    m_window->showPage("runs");
    auto* table = m_window->findChild<QTreeView*>("runTable");
    QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(table->model()->rowCount(), 3);
    int runs = 0;
    for (int arm = 0; arm < 3; ++arm)
        runs += table->model()->rowCount(table->model()->index(arm, 0));
    QCOMPARE(runs, 12);
    auto* filter = m_window->findChild<QLineEdit*>("runFilter");
    filter->setText("state:failed");
    QCOMPARE(table->model()->rowCount(), 1);
    filter->setText("nope");
    QCOMPARE(table->model()->rowCount(), 1);
    filter->clear();
    QCOMPARE(table->model()->rowCount(), 3);
}

void GuiPages::selectionIsShared()
{
    const QString run = m_fixture->run("mobius25", 1);
    m_window->filter().selectRun(run);
    auto* table = m_window->findChild<QTreeView*>("runTable");
    QCOMPARE(table->currentIndex().siblingAtColumn(0).data().toString(), QString("seed 1"));
}

void GuiPages::hiddenArmsLeaveEveryPage()
{
    m_window->showPage("retrieval");
    QTRY_COMPARE(m_window->findChildren<widgets::HeatmapPlot*>(QRegularExpression("^heatmap")).size(), 3);
    m_window->filter().setShown(QString("nope25"), false);
    QTRY_VERIFY(!m_window->findChild<widgets::HeatmapPlot*>("heatmap2")->isVisible());
    auto* plot = m_window->findChild<widgets::CurvePlot*>("plot0");
    QTRY_VERIFY(!plot->hasCurve(m_fixture->run("nope25", 1)));
    QVERIFY(plot->hasCurve(m_fixture->run("standard", 1)));
    QCOMPARE(m_window->findChild<QTreeView*>("runTable")->model()->rowCount(), 2);
}

void GuiPages::liveStepsArrive()
{
    const QString run = m_fixture->run("nope25", 4);
    auto* plot = m_window->findChild<widgets::CurvePlot*>("plot0");
    QTRY_VERIFY(plot->hasCurve(run));
    m_fixture->appendSteps(run, 65, 80);
    QTRY_VERIFY(m_window->study().row(run)->step == 80);
    QTRY_COMPARE(m_window->study().steps(run)->size(), std::size_t(80));
    plot->refresh();
    QVERIFY(plot->csv().contains(",80,"));
}

void GuiPages::resumedRunsShowTheNewestAttempt()
{
    const auto* row = m_window->study().row(m_fixture->run("mobius25", 4));
    QVERIFY(row);
    QCOMPARE(row->step, std::int64_t(70));
    QCOMPARE(row->attempts, 2);
    QCOMPARE(row->state, std::string("interrupted"));
    QCOMPARE(m_window->study().row(m_fixture->run("nope25", 4))->state, std::string("running"));
    QCOMPARE(m_window->study().row(m_fixture->run("nope25", 3))->state, std::string("failed"));
    QCOMPARE(m_window->study().row(m_fixture->run("standard", 1))->state, std::string("done"));
}

void GuiPages::heatmapsFollowTheSlider()
{
    m_window->showPage("retrieval");
    auto* slider = m_window->findChild<QSlider*>("stepSlider");
    QTRY_COMPARE(slider->maximum(), 2);
    auto* map = m_window->findChild<widgets::HeatmapPlot*>("heatmap0");
    QTRY_VERIFY(map->columns() == 4);
    const QString late = map->csv();
    slider->setValue(0);
    QTRY_VERIFY(map->csv() != late);
    QVERIFY(m_window->filter().lengths().size() == 4);
}

void GuiPages::compareReadsTwoRuns()
{
    m_window->showPage("compare");
    auto* page = m_window->findChild<ComparePage*>();
    page->setSource(0, m_fixture->folder() + "/runs/" + m_fixture->run("standard", 1));
    page->setSource(1, m_fixture->folder() + "/runs/" + m_fixture->run("mobius25", 1) + "/checkpoints/step-120");
    QTRY_VERIFY(page->source(0)->grid && page->source(1)->grid);
    QCOMPARE(page->source(1)->step, std::int64_t(120));
    auto* difference = m_window->findChild<widgets::HeatmapPlot*>("mapDifference");
    QTRY_COMPARE(difference->columns(), 4);
    QStringList fields;
    auto* config = m_window->findChild<QTableView*>("configDifferences")->model();
    for (int i = 0; i < config->rowCount(); ++i)
        fields << config->index(i, 0).data().toString();
    QVERIFY(fields.contains("arm"));
    QVERIFY(!fields.contains("train.steps"));
}

void GuiPages::swapShowsItsDocument()
{
    const QString run = m_fixture->folder() + "/runs/" + m_fixture->run("mobius25", 1);
    const Json before = readJsonFile((run + "/evals/needle-step-120/summary.json").toStdString());
    const Json after = readJsonFile((run + "/evals/needle-step-40/summary.json").toStdString());
    Json difference = Json::array();
    for (const auto& cell : before.at("cells"))
        difference.push_back({{"length", cell.at("length")}, {"depth", cell.at("depth")}, {"p_mcnemar", 1.0}});
    auto* page = m_window->findChild<SwapPage*>();
    page->showDocument({{"before", before}, {"after", after}, {"difference", difference}, {"perplexity", {{"before", 20.5}, {"after", 24.25}}}});
    QCOMPARE(m_window->findChild<widgets::HeatmapPlot*>("swapAfter")->columns(), 4);
    QCOMPARE(m_window->errorSentence(), QString());
    page->showDocument(Json::object());
    QVERIFY(!m_window->errorSentence().isEmpty());
}

void GuiPages::droppedRunsAndText()
{
    QFile text(m_dir->filePath("story.txt"));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("Once upon a time");
    text.close();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(text.fileName()), QUrl::fromLocalFile(m_fixture->folder() + "/runs/" + m_fixture->run("standard", 2))});
    drop(m_window.get(), data);
    QCOMPARE(m_window->document().project().data.source, std::vector<std::string>{text.fileName().toStdString()});
    QCOMPARE(m_window->filter().selectedRun(), m_fixture->run("standard", 2));
    QCOMPARE(m_window->errorSentence(), QString());
}

void GuiPages::remoteAddressesAreRefused()
{
    QMimeData data;
    data.setUrls({QUrl("https://example.org/model.safetensors")});
    drop(m_window.get(), data);
    QVERIFY(m_window->errorSentence().contains("nothing is fetched"));
}

void GuiPages::oddPathsOpenLiterally()
{
    for (const char* name : {"with blank", "a%20b", "über 1", "quote'\"", "#hash?", "[x]"}) {
        const QString folder = m_dir->filePath(QString::fromUtf8(name));
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(QFile::copy(m_fixture->folder() + "/project.json", folder + "/project.json"));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(folder)});
        drop(m_window.get(), data);
        QCOMPARE(m_window->study().folder(), folder);
    }
}

void GuiPages::brokenProjectsEndInASentence()
{
    const std::vector<QByteArray> broken = {"", "{", "[]", "{\"format\": 1, \"modle\": {}}", "\xff\xfe", "{\"format\": 99}"};
    for (const QByteArray& bytes : broken) {
        const QString folder = m_dir->filePath("broken");
        QDir().mkpath(folder);
        QFile file(folder + "/project.json");
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
        file.close();
        QVERIFY(!m_window->openProject(folder));
        QVERIFY2(m_window->errorSentence().contains("project.json"), bytes.constData());
    }
    QCOMPARE(m_window->study().folder(), m_fixture->folder());  // what was open stays open
    m_window->openPaths({m_dir->filePath("nowhere"), m_dir->path()});
    QVERIFY(m_window->errorSentence().contains("nowhere"));
}

void GuiPages::undoReachesTheLadder()
{
    m_window->showPage("design");
    auto* plot = m_window->findChild<widgets::LadderPlot*>("thetaPlot");
    QTRY_VERIFY(plot->csv().count('\n') > 3);
    const QString before = plot->csv();
    Q_EMIT plot->thetaDragged(1, 0.123);
    Q_EMIT plot->dragFinished();
    QVERIFY(plot->csv() != before);
    QCOMPARE(m_window->document().project().arms[0].scheme.kind, ladder::Kind::Custom);
    m_window->document().undoStack()->undo();
    QCOMPARE(plot->csv(), before);
}

void GuiPages::layoutOfAnotherVersionIsIgnored()
{
    QVERIFY(!m_window->restoreState(QByteArray("nonsense"), 1));
    m_window->resetLayout();
    QVERIFY(m_window->isVisible());
}

void GuiPages::welcomeBeforeAProject()
{
    m_window->closeProject();
    QVERIFY(m_window->findChild<QWidget*>("welcomePage")->isVisible());
    QVERIFY(m_window->findChild<QPushButton*>("openSample")->isVisible());
    m_window->openPaths({m_fixture->folder()});
    QVERIFY(!m_window->findChild<QWidget*>("welcomePage")->isVisible());
}

void GuiPages::paletteFindsActions()
{
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    auto* palette = m_window->findChild<CommandPalette*>();
    QVERIFY(palette);
    palette->input()->setText("reliab");
    QTest::keyClick(palette->input(), Qt::Key_Return);
    QCOMPARE(m_window->currentPage(), QString("reliability"));
}

QTEST_MAIN(GuiPages)
#include "tst_gui_pages.moc"
