#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>
#include <cmath>

#include "widgets/common/format.h"
#include "widgets/common/number_edit.h"
#include "widgets/models/run_filter.h"
#include "widgets/models/run_tree_model.h"
#include "widgets/models/table_model.h"

using namespace holo;
using namespace holo::widgets;

namespace {

model::RunRow row(const std::string& arm, int seed, double needle, const std::string& state = "done")
{
    model::RunRow r;
    r.id = arm + "-s" + std::to_string(seed);
    r.arm = arm;
    r.seed = seed;
    r.state = state;
    r.step = 100;
    r.totalSteps = 200;
    r.loss = 3 + 0.1 * seed;
    r.needle = needle;
    return r;
}

// The tree as text: what a person reads.
QString textOf(const QAbstractItemModel& model, std::initializer_list<int> columns, const QModelIndex& parent = {}, int depth = 0)
{
    QString text;
    for (int i = 0; i < model.rowCount(parent); ++i) {
        QStringList cells;
        for (const int column : columns)
            cells << model.index(i, column, parent).data().toString();
        text += QString(2 * depth, ' ') + cells.join(" | ") + '\n' + textOf(model, columns, model.index(i, 0, parent), depth + 1);
    }
    return text;
}

}  // namespace

class WidgetsModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void runTreeHoldsItsContract();
    void runTreeReadsAsText();
    void spreadLeavesOutWhatIsNotFinite();
    void oneSeedHasNoSpread();
    void filterExpressions_data();
    void filterExpressions();
    void wrongFilterNamesTheColumn();
    void sortIsTyped();
    void tableModelHoldsItsContract();
    void tenThousandRunsStayQuick();
    void numbersWithPointAndComma();
    void valuesForPeople();
};

void WidgetsModels::runTreeHoldsItsContract()
{
    RunTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RunFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester filterTester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setArmOrder({"b", "a"});
    model.setRows({row("a", 2, 0.5), row("a", 1, 0.75), row("b", 1, NAN, "running")});
    model.updateRow(row("a", 3, 0.1));
    model.updateRow(row("c", 1, 0.2));
    model.updateRow(row("a", 2, 0.9));
    model.setSpark("a-s1", {0, 0.5f, NAN, 1});
    model.removeRun("b-s1");
    model.removeRun("c-s1");
    filter.setExpression("needle>50");
    model.updateRow(row("a", 3, 0.8));
    model.setBaseline("b");
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.rowCount(model.index(0, 0)), 3);
}

void WidgetsModels::runTreeReadsAsText()
{
    RunTreeModel model;
    model.setArmOrder({"mobius", "standard"});
    model.setRows({row("standard", 1, 0.5), row("standard", 2, 0.7), row("mobius", 3, 0.9, "failed")});
    QCOMPARE(textOf(model, {RunTreeModel::Name, RunTreeModel::State, RunTreeModel::Step, RunTreeModel::Needle, RunTreeModel::Worst}),
        QString::fromUtf8("mobius | 0 of 1 done |  | 90.0 | 90.0  (s3)\n"
                          "  seed 3 | ✕ failed | 100 / 200 | 90.0 | –\n"
                          "standard | 2 of 2 done |  | 60.0 ± 14.1 | 50.0  (s1)\n"
                          "  seed 1 | ✓ done | 100 / 200 | 50.0 | –\n"
                          "  seed 2 | ✓ done | 100 / 200 | 70.0 | –\n"));
}

void WidgetsModels::spreadLeavesOutWhatIsNotFinite()
{
    RunTreeModel model;
    model.setRows({row("a", 1, 0.5), row("a", 2, NAN), row("a", 3, INFINITY), row("a", 4, 0.5)});
    QCOMPARE(model.index(0, RunTreeModel::Needle).data().toString(), QString::fromUtf8("50.0 ± 0.0"));
}

void WidgetsModels::oneSeedHasNoSpread()
{
    RunTreeModel model;
    model.setRows({row("a", 1, 0.5)});
    QCOMPARE(model.index(0, RunTreeModel::Needle).data().toString(), QString("50.0"));
}

void WidgetsModels::filterExpressions_data()
{
    QTest::addColumn<QString>("expression");
    QTest::addColumn<int>("runs");
    QTest::newRow("all") << "" << 6;
    QTest::newRow("word") << "mob" << 3;
    QTest::newRow("state") << "state:fail" << 1;
    QTest::newRow("arm") << "arm:standard" << 3;
    QTest::newRow("seed") << "seed:2" << 2;
    QTest::newRow("needle") << "needle<50" << 2;
    QTest::newRow("comma") << "loss>=3,2" << 4;
    QTest::newRow("both") << "arm:mobius needle>=50" << 2;
    QTest::newRow("none") << "val>0" << 0;
    QTest::newRow("nonsense word") << "zzz" << 0;
}

void WidgetsModels::filterExpressions()
{
    QFETCH(QString, expression);
    QFETCH(int, runs);
    RunTreeModel model;
    RunFilter filter;
    filter.setSourceModel(&model);
    model.setRows({row("standard", 1, 0.2), row("standard", 2, 0.5), row("standard", 3, 0.6, "failed"), row("mobius", 1, 0.4), row("mobius", 2, 0.8), row("mobius", 3, 0.9)});
    QCOMPARE(filter.setExpression(expression), QString());
    int shown = 0;
    for (int i = 0; i < filter.rowCount(); ++i)
        shown += filter.rowCount(filter.index(i, 0));
    QCOMPARE(shown, runs);
}

void WidgetsModels::wrongFilterNamesTheColumn()
{
    RunFilter filter;
    QVERIFY(filter.setExpression("nedle<5").contains("needle"));
    QVERIFY(filter.setExpression("needle<abc").contains("abc"));
}

void WidgetsModels::sortIsTyped()
{
    RunTreeModel model;
    RunFilter filter;
    filter.setSourceModel(&model);
    model.setRows({row("a", 10, 0.9), row("a", 9, NAN), row("a", 2, 0.15), row("a", 1, 0.1)});
    filter.sort(RunTreeModel::Name, Qt::AscendingOrder);
    QCOMPARE(filter.index(3, 0, filter.index(0, 0)).data().toString(), QString("seed 10"));
    filter.sort(RunTreeModel::Needle, Qt::DescendingOrder);
    QCOMPARE(filter.index(0, 0, filter.index(0, 0)).data().toString(), QString("seed 10"));
    QCOMPARE(filter.index(3, 0, filter.index(0, 0)).data().toString(), QString("seed 9"));  // without a value: last
}

void WidgetsModels::tableModelHoldsItsContract()
{
    TableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTable({{"a"}, {"b"}}, {{{"x"}, numberCell(1.5)}, {{"say \"y\""}, integerCell(3)}});
    QCOMPARE(model.csv(), QString("\"a\",\"b\"\n\"x\",1.5\n\"say \"\"y\"\"\",3\n"));
    model.setTable({{"only"}}, {});
    QCOMPARE(model.rowCount(), 0);
}

void WidgetsModels::tenThousandRunsStayQuick()
{
    std::vector<model::RunRow> rows;
    for (int arm = 0; arm < 50; ++arm)
        for (int seed = 0; seed < 200; ++seed)
            rows.push_back(row("arm" + std::to_string(arm), seed, 0.001 * ((seed * 37) % 1000)));
    RunTreeModel model;
    RunFilter filter;
    filter.setSourceModel(&model);
    QElapsedTimer clock;
    clock.start();
    model.setRows(rows);
    filter.sort(RunTreeModel::Needle);
    filter.setExpression("needle<10");
    qInfo("10 000 runs set, sorted, filtered in %lld ms", clock.elapsed());
    QCOMPARE(filter.rowCount(), 50);
}

void WidgetsModels::numbersWithPointAndComma()
{
    const std::vector<std::pair<QString, double>> good = {{"2.75", 2.75}, {"2,75", 2.75}, {"1e-3", 1e-3}, {" 7 ", 7}, {"-0,5", -0.5}, {QString::fromUtf8("−3"), -3}};
    for (const auto& [text, value] : good)
        QCOMPARE(NumberEdit::parse(text).value_or(NAN), value);
    for (const char* text : {"", "1.234,5", "1,2,3", "abc", "1 000", "nan", "inf", "0x10", "1.5x"})
        QVERIFY2(!NumberEdit::parse(text), text);
}

void WidgetsModels::valuesForPeople()
{
    QCOMPARE(formatValue(NAN), QString::fromUtf8("–"));
    QCOMPARE(formatValue(3.14159), QString("3.142"));
    QCOMPARE(formatValue(0.000012345), QString("1.23e-05"));
    QCOMPARE(formatValue(123456.0), QString("123456"));
    QCOMPARE(formatPercent(0.98765), QString("98.8"));
    QCOMPARE(formatDuration(3725), QString("1:02:05"));
    QCOMPARE(formatDuration(192), QString("3:12"));
    QCOMPARE(formatBytes(3.1e6), QString("3.1 MB"));
    QCOMPARE(formatCount(122880), QString("123 k"));
}

QTEST_MAIN(WidgetsModels)
#include "tst_widgets_models.moc"
