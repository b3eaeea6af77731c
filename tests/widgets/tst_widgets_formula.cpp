#include <QTest>
#include <cmath>
#include <numbers>

#include "widgets/editors/theta_formula.h"

using namespace holo::widgets;

class WidgetsFormula : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_data();
    void values();
    void ladders();
    void problems_data();
    void problems();
    void nestingIsBounded();
};

void WidgetsFormula::values_data()
{
    QTest::addColumn<QString>("formula");
    QTest::addColumn<double>("value");  // at plane 1 of 4, N = 256, base 10000
    QTest::newRow("number") << "1.5e-3" << 1.5e-3;
    QTest::newRow("order") << "1 + 2 * 3" << 7.0;
    QTest::newRow("left to right") << "8 / 4 / 2 - 1 - 1" << -1.0;
    QTest::newRow("power right to left") << "2^3^2" << 512.0;
    QTest::newRow("power before sign") << "-2^2" << -4.0;
    QTest::newRow("sign in the exponent") << "2^-2" << 0.25;
    QTest::newRow("brackets") << "(1 + 2) * (3 - -1)" << 12.0;
    QTest::newRow("names") << "i + M + d + N + base" << 1.0 + 4 + 8 + 256 + 10000;
    QTest::newRow("constants") << "pi * e" << std::numbers::pi * std::numbers::e;
    QTest::newRow("choice") << "i < 2 ? 3 : 4" << 3.0;
    QTest::newRow("functions") << "sqrt(abs(-16)) + exp(log(3)) + sin(0) + cos(0)" << 8.0;
}

void WidgetsFormula::values()
{
    QFETCH(QString, formula);
    QFETCH(double, value);
    const auto result = evaluateFormula(formula.toStdString(), {4, 256, 10000});
    QVERIFY2(result.problem.empty(), result.problem.c_str());
    QCOMPARE(result.theta.size(), std::size_t(4));
    QVERIFY(std::abs(result.theta[1] - value) <= 1e-12 * std::abs(value));
}

void WidgetsFormula::ladders()
{
    const auto mobius = evaluateFormula("pi*(2*i+1)/N", {32, 512, 10000});
    const auto standard = evaluateFormula("base^(-2*i/d)", {32, 512, 10000});
    for (int i = 0; i < 32; ++i) {
        QCOMPARE(mobius.theta[static_cast<std::size_t>(i)], std::numbers::pi * (2 * i + 1) / 512);
        QCOMPARE(standard.theta[static_cast<std::size_t>(i)], std::pow(10000.0, -2.0 * i / 64));
    }
}

void WidgetsFormula::problems_data()
{
    QTest::addColumn<QString>("formula");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << "" << "column 1";
    QTest::newRow("open bracket") << "2*(i+1" << "closing bracket";
    QTest::newRow("closing bracket alone") << "i)" << "column 2";
    QTest::newRow("unknown name") << "2*theta" << "column 3: “theta”";
    QTest::newRow("two numbers") << "1 2" << "column 3";
    QTest::newRow("two points") << "1.2.3" << "no number";
    QTest::newRow("function without brackets") << "sqrt 2" << "brackets";
    QTest::newRow("comma") << "1,5" << "column 2";
    QTest::newRow("semicolon") << "1;5" << "column 2";
    QTest::newRow("hexadecimal") << "0x10" << "“x” is not known";
    QTest::newRow("beyond double") << "1e400" << "column 1";
    QTest::newRow("quotes") << "\"i\"" << "column";
    QTest::newRow("two arguments") << "sqrt(1;2)" << "column";
    QTest::newRow("not finite") << "1/i" << "plane 0";
    QTest::newRow("not real") << "sqrt(-i)" << "plane 1";
    QTest::newRow("other signs") << "2 ÷ i" << "column 3";
}

void WidgetsFormula::problems()
{
    QFETCH(QString, formula);
    QFETCH(QString, says);
    const auto result = evaluateFormula(formula.toStdString(), {4, 256, 10000});
    QVERIFY(result.theta.empty());
    QVERIFY2(QString::fromStdString(result.problem).contains(says), result.problem.c_str());
}

void WidgetsFormula::nestingIsBounded()
{
    const auto result = evaluateFormula(std::string(100000, '(') + "1" + std::string(100000, ')'), {1, 256, 10000});
    QVERIFY(!result.problem.empty());
    QVERIFY(!evaluateFormula(std::string(100000, '-') + "1", {1, 256, 10000}).problem.empty());
}

QTEST_APPLESS_MAIN(WidgetsFormula)
#include "tst_widgets_formula.moc"
