#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "app/settings/settings.h"
#include "app/shell/attention_dialog.h"
#include "app/shell/claim_sheet.h"
#include "app/shell/help_texts.h"
#include "app/shell/json_dialog.h"
#include "app/shell/main_window.h"
#include "app/shell/pages/compare_page.h"
#include "app/shell/pages/swap_page.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/gui/fixture_project.h"
#include "widgets/common/empty_state.h"
#include "widgets/common/theme.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/heatmap_plot.h"

using namespace holo;
using namespace holo::shell;

class GuiDialogs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void claimNamesWhatIsThere();
    void claimOfABrokenRunSaysSo();
    void attentionShowsEveryHead();
    void attentionOfNonsenseIsASentence();
    void jsonGoesBothWays();
    void brokenJsonIsRefused_data();
    void brokenJsonIsRefused();
    void sweepsAreDrawn();
    void perplexityByLength();
    void comparedRunsStandSideBySide();
    void emptyPagesSayThatTheyWait();
    void helpNamesFormulasAndKeys();
    void cleanupTestCase();

private:
    QString runFolder(const QString& arm, int seed) const { return m_fixture->folder() + "/runs/" + m_fixture->run(arm, seed); }
    QTemporaryDir m_dir;
    std::unique_ptr<test::FixtureProject> m_fixture;
    std::unique_ptr<settings::Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void GuiDialogs::initTestCase()
{
    qputenv("HOLONOMY_ENGINE", "/bin/false");  // dialogs that ask the engine get their answers from here
    widgets::ensureFont();
    widgets::applyTheme(widgets::ThemeMode::Light);
    m_fixture = std::make_unique<test::FixtureProject>(m_dir.filePath("study"));
    m_settings = std::make_unique<settings::Settings>(m_dir.filePath("holonomy.ini"));
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->queue().setDevices({});
    m_window->show();
    QVERIFY(m_window->openProject(m_fixture->folder()));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->study().isIdle(), 20000);
}

void GuiDialogs::cleanupTestCase()
{
    m_window->setNextCloseChoice(MainWindow::CloseChoice::KeepRunning);
    m_window->close();
    m_window.reset();
}

void GuiDialogs::claimNamesWhatIsThere()
{
    const QString text = claimSheet({runFolder("standard", 1), runFolder("mobius25", 1)});
    QVERIFY2(text.contains("--arm standard --seed 1"), qPrintable(text));
    QVERIFY(text.contains(QString::fromStdString(sha256("weights"))));
    QVERIFY(text.contains("needle ") && text.contains("Wilson 95 %"));
    QVERIFY(text.contains("step 120"));
    // Both runs differ in arm and scheme, and in nothing else.
    QVERIFY(text.contains("`arm`: standard | mobius25"));
    QVERIFY(!text.contains("`train."));
}

void GuiDialogs::claimOfABrokenRunSaysSo()
{
    const QString folder = m_dir.filePath("elsewhere");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(claimSheet({folder}).contains("run.json"));
    QVERIFY(claimSheet({runFolder("nope25", 3)}).contains("no complete checkpoint"));
}

void GuiDialogs::attentionShowsEveryHead()
{
    Json heads = Json::array();
    for (int head = 0; head < 3; ++head) {
        Json bins = Json::array();
        for (int lo = 0; lo < 128; lo = lo == 0 ? 1 : 2 * lo)
            bins.push_back({{"lo", lo}, {"hi", lo == 0 ? 1 : 2 * lo}, {"mass", 0.1}});
        heads.push_back({{"layer", 0}, {"head", head}, {"ladder", head == 0 ? "mobius" : "standard"}, {"distance", 10.0 + head}, {"ends", 0.05}, {"ends_kernel", head == 0 ? -0.25 : 0.5}, {"first", 0.2}, {"entropy_share", 0.5}, {"induction", 0.01}, {"by_distance", bins}});
    }
    AttentionDialog dialog("standard, seed 1", runFolder("standard", 1));
    dialog.showDocument({{"lengths", Json::array({{{"length", 64}, {"windows", 8}, {"ends_even", 0.133}, {"heads", heads}}, {{"length", 128}, {"windows", 8}, {"ends_even", 0.133}, {"heads", heads}}})}});
    auto* table = dialog.findChild<QTableView*>("attentionTable");
    QCOMPARE(table->model()->rowCount(), 3);
    QStringList kernels;
    for (int row = 0; row < 3; ++row)
        kernels << table->model()->index(row, 4).data().toString();
    kernels.sort();
    QCOMPARE(kernels.filter("0.25").size(), 1);
    QCOMPARE(kernels.filter("0.5").size(), 2);
    QCOMPARE(dialog.findChild<QComboBox*>("attentionLength")->count(), 2);
    auto* plot = dialog.findChild<widgets::CurvePlot*>();
    QVERIFY(plot->hasCurve("0:0") && plot->hasCurve("0:2"));
    table->selectRow(1);
    QVERIFY(!dialog.grab().isNull());
}

void GuiDialogs::attentionOfNonsenseIsASentence()
{
    AttentionDialog dialog("x", runFolder("standard", 1));
    dialog.showDocument({{"lengths", Json::array({{{"length", 64}}})}});
    bool told = false;
    for (auto* label : dialog.findChildren<QLabel*>())
        told = told || label->text().contains("could not be read");
    QVERIFY(told);
}

void GuiDialogs::jsonGoesBothWays()
{
    JsonDialog dialog(m_window->document());
    auto* edit = dialog.findChild<QPlainTextEdit*>("json");
    Json json = parseJson(edit->toPlainText().toStdString(), "text");
    json["train"]["steps"] = 77;
    edit->setPlainText(QString::fromStdString(dumpPretty(json)));
    QVERIFY(dialog.apply());
    QCOMPARE(m_window->document().project().train.steps, std::int64_t(77));
    m_window->document().undoStack()->undo();
    QVERIFY(m_window->document().project().train.steps != 77);
}

void GuiDialogs::brokenJsonIsRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << "";
    QTest::newRow("half") << "{\"name\": ";
    QTest::newRow("list") << "[]";
    QTest::newRow("unknown key") << "{\"format\": 1, \"modle\": {}}";
    QTest::newRow("wrong type") << "{\"format\": 1, \"train\": {\"steps\": \"many\"}}";
    QTest::newRow("twice") << "{\"format\": 1, \"format\": 1}";
}

void GuiDialogs::brokenJsonIsRefused()
{
    QFETCH(QString, text);
    const Json before = config::toJson(m_window->document().project());
    JsonDialog dialog(m_window->document());
    dialog.findChild<QPlainTextEdit*>("json")->setPlainText(text);
    QVERIFY(!dialog.apply());
    QCOMPARE(dumpLine(config::toJson(m_window->document().project())), dumpLine(before));
    bool told = false;
    for (auto* label : dialog.findChildren<QLabel*>())
        told = told || !label->text().isEmpty();
    QVERIFY(told);
}

void GuiDialogs::sweepsAreDrawn()
{
    const Json grid = readJsonFile((runFolder("mobius25", 1) + "/evals/needle-step-120/summary.json").toStdString());
    auto* page = m_window->findChild<SwapPage*>();
    auto* plot = m_window->findChild<widgets::AccuracyPlot*>("swapSweepPlot");
    const auto row = [](Json label, double after) {
        label.update(Json{{"trials", 100}, {"exact_before", 0.9}, {"exact_after", after}, {"p_mcnemar", 0.01}});
        return label;
    };
    const std::pair<const char*, Json> sweeps[] = {{"planes", {{"plane", 3}}}, {"heads", {{"layer", 1}, {"head", 2}}}, {"layers", {{"layer", 1}}}, {"lambda", {{"lambda", 0.5}}}};
    for (const auto& [over, label] : sweeps) {
        page->showDocument({{"before", grid}, {"after", grid}, {"sweep", {{"over", over}, {"rows", Json::array({row(label, 0.5), row(label, 0.25)})}}}});
        QCOMPARE(m_window->errorSentence(), QString());
        QVERIFY2(plot->csv().contains("0.25") || plot->csv().contains("25"), qPrintable(plot->csv()));
        QVERIFY(plot->isVisibleTo(page));
    }
    page->showDocument({{"before", grid}, {"after", grid}});
    QVERIFY(!plot->isVisibleTo(page));
}

void GuiDialogs::perplexityByLength()
{
    m_window->showPage("retrieval");
    auto* position = m_window->findChild<QComboBox*>("positionMode");
    position->setCurrentIndex(3);
    Q_EMIT position->activated(3);
    auto* plot = m_window->findChild<widgets::CurvePlot*>("perplexityCurve");
    QTRY_VERIFY(plot->hasCurve("standard"));
    QVERIFY(plot->isVisible());
    QVERIFY2(plot->csv().contains(",128,") && plot->csv().contains(",256,"), qPrintable(plot->csv()));
    position->setCurrentIndex(0);
    Q_EMIT position->activated(0);
    QTRY_VERIFY(!plot->isVisible());
}

void GuiDialogs::comparedRunsStandSideBySide()
{
    auto* page = m_window->findChild<ComparePage*>();
    page->setSources({runFolder("standard", 1), runFolder("mobius25", 1), runFolder("nope25", 1)});
    QTRY_VERIFY(page->source(0)->grid && page->source(1)->grid);
    QTRY_COMPARE(page->findChildren<widgets::HeatmapPlot*>().size(), 6);
    page->setSources({runFolder("mobius25", 1), runFolder("standard", 1)});
    QTRY_VERIFY(page->source(0)->grid && page->source(1)->grid);
    QCOMPARE(page->source(0)->path, runFolder("mobius25", 1));
    QTRY_COMPARE(page->findChildren<widgets::HeatmapPlot*>().size(), 5);
}

void GuiDialogs::emptyPagesSayThatTheyWait()
{
    widgets::EmptyState empty("Nothing yet", "Do it");
    empty.show();
    empty.setWaiting("Reading");
    QVERIFY(!empty.button()->isVisible());
    empty.setWaiting({});
    QVERIFY(empty.button()->isVisible());
    for (auto* page : m_window->findChildren<widgets::EmptyState*>())
        for (auto* label : page->findChildren<QLabel*>())
            QVERIFY(!label->isVisibleTo(page) || !label->text().startsWith("Reading"));
}

void GuiDialogs::helpNamesFormulasAndKeys()
{
    QVERIFY(formulaHelp().contains(QString::fromUtf8("π(2i + 1)/N")));
    QAction save("&Save project");
    save.setShortcut(QKeySequence("Ctrl+S"));
    QVERIFY(keyboardHelp({&save}).contains("Ctrl+S\tSave project"));
}

QTEST_MAIN(GuiDialogs)
#include "tst_gui_dialogs.moc"
