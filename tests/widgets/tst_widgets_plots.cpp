#include <QElapsedTimer>
#include <QPdfWriter>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/theme.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/color_map.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/export_dialog.h"
#include "widgets/plots/heatmap_plot.h"
#include "widgets/plots/kernel_plot.h"
#include "widgets/plots/ladder_plot.h"
#include "widgets/plots/plot_export.h"
#include "widgets/plots/strip_plot.h"
#include "widgets/plots/turns_plot.h"

using namespace holo;
using namespace holo::widgets;

namespace {

model::NeedleGrid squareGrid(double everywhere, double longestAtDepthZero)
{
    std::vector<model::NeedleCell> cells;
    for (const std::int64_t length : {64, 128, 192, 256})
        for (const double depth : {0.0, 0.33, 0.67, 1.0}) {
            model::NeedleCell cell;
            cell.length = length;
            cell.depth = depth;
            cell.trials = 10;
            cell.accuracy = length == 256 && depth == 0 ? longestAtDepthZero : everywhere;
            cells.push_back(cell);
        }
    return model::gridOfCells(cells);
}

double contrast(const QColor& a, const QColor& b)
{
    const auto luminance = [](const QColor& c) {
        const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

}  // namespace

class WidgetsPlots : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void evilCurvesInASecond_data();
    void evilCurvesInASecond();
    void spikeIsDrawn();
    void twentyMillionPointsStayLive();
    void longestLengthAtDepthZeroIsTopRight();
    void allEqualGridShowsItsColour();
    void missingCellsHaveNoColour();
    void differenceIsCentred();
    void cellTextHasContrast();
    void heatmapCsvAgreesWithThePicture();
    void draggingAPointChangesTheta();
    void everyPlotExports();
    void fontDrawsDigits();
    void titlesFitTheirPlot();
    void captionsAreShortenedAndExportedWhole();
    void latexEscapesItsCaption();
    void spreadIsDrawnWhole();
};

void WidgetsPlots::initTestCase()
{
    ensureFont();
    applyTheme(ThemeMode::Light);
}

void WidgetsPlots::evilCurvesInASecond_data()
{
    QTest::addColumn<QVector<double>>("values");
    QTest::addColumn<int>("masked");
    const double inf = INFINITY;
    QTest::newRow("mixed") << QVector<double>{0, -1, NAN, inf, 1e-300, 1e300} << 4;
    QTest::newRow("one point") << QVector<double>{2.5} << 0;
    QTest::newRow("empty") << QVector<double>{} << 0;
    QTest::newRow("only zeros") << QVector<double>{0, 0, 0} << 3;
    QTest::newRow("only nan") << QVector<double>{NAN, NAN} << 2;
    QTest::newRow("denormal") << QVector<double>{5e-324, 1e-320, 1} << 0;
    QTest::newRow("largest") << QVector<double>{1.7e308, -1.7e308, 1} << 1;
    QTest::newRow("constant") << QVector<double>(1000, 3.25) << 0;
    QTest::newRow("alternating") << [] {
        QVector<double> v;
        for (int i = 0; i < 20000; ++i)
            v << (i % 2 ? 1e-12 : i % 3 ? -1.0 : NAN);
        return v;
    }() << 10000;
}

void WidgetsPlots::evilCurvesInASecond()
{
    QFETCH(QVector<double>, values);
    QFETCH(int, masked);
    for (const bool logY : {true, false}) {
        QElapsedTimer clock;
        clock.start();
        CurvePlot plot;
        plot.resize(800, 500);
        plot.setLogY(logY);
        plot.setCurve("c", {});
        std::vector<double> x(static_cast<std::size_t>(values.size()));
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i);
        plot.append("c", x, std::vector<double>(values.begin(), values.end()));
        plot.refresh();
        plot.replot();
        if (logY)
            QCOMPARE(plot.maskedCount(), std::size_t(masked));
        QVERIFY(std::isfinite(plot.yAxis->range().lower) && std::isfinite(plot.yAxis->range().upper));
        QVERIFY(plot.yAxis->range().size() > 0);
        QVERIFY(plot.yAxis->ticker() && plot.yAxis->grid());
        QVector<double> ticks;
        QVector<double> subTicks;
        QVector<QString> labels;
        plot.yAxis->ticker()->generate(plot.yAxis->range(), QLocale::c(), 'g', 6, ticks, &subTicks, &labels);
        QVERIFY2(ticks.size() < 50, qPrintable(QString::number(ticks.size())));
        const bool allMasked = logY && !values.isEmpty() && masked == values.size();
        if (allMasked)
            QVERIFY(!plot.message().isEmpty());
        QVERIFY2(clock.elapsed() < 5000, "hangs");  // the budget is one second; a loaded machine gets five
    }
}

void WidgetsPlots::spikeIsDrawn()
{
    CurvePlot plot;
    plot.resize(700, 400);
    plot.setCurve("c", {});
    model::Curve curve;
    for (int i = 0; i < 200000; ++i) {
        curve.x.push_back(i);
        curve.y.push_back(i == 77777 ? 50 : 1);
    }
    plot.replaceData("c", curve);
    plot.refresh();
    QVERIFY(plot.isThinned());
    bool seen = false;
    for (int g = 0; g < plot.graphCount(); ++g)
        for (const auto& point : *plot.graph(g)->data())
            seen = seen || (point.key == 77777 && point.value == 50);
    QVERIFY(seen);
    for (int g = 0; g < plot.graphCount(); ++g)
        QVERIFY(plot.graph(g)->data()->size() < 20000);
}

void WidgetsPlots::twentyMillionPointsStayLive()
{
    // A tenth of the goal's points in a unit test: the work of a repaint depends on the columns, not on them.
    CurvePlot plot;
    plot.resize(1000, 500);
    for (int c = 0; c < 20; ++c) {
        model::Curve curve;
        for (int i = 0; i < 100000; ++i) {
            curve.x.push_back(i);
            curve.y.push_back(1 + c + std::sin(i * 0.001 * (c + 1)));
        }
        plot.setCurve(QString::number(c), {});
        plot.replaceData(QString::number(c), curve);
    }
    plot.refresh();
    int points = 0;
    for (int g = 0; g < plot.graphCount(); ++g)
        points += plot.graph(g)->data()->size();
    QVERIFY2(points < 20 * 5 * 1000 * 4, qPrintable(QString::number(points)));
}

void WidgetsPlots::longestLengthAtDepthZeroIsTopRight()
{
    HeatmapPlot plot;
    plot.resize(500, 400);
    plot.setGrid(squareGrid(0, 1));
    plot.show();
    plot.replot();
    const QColor hot = ColorMap::named("viridis").at(1);
    const QColor cold = ColorMap::named("viridis").at(0);
    const auto topRight = plot.cellPicture(0, 3);
    QCOMPARE(topRight.color, hot);
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column) {
            const auto cell = plot.cellPicture(row, column);
            QVERIFY(topRight.rect.center().x() >= cell.rect.center().x());
            QVERIFY(topRight.rect.center().y() <= cell.rect.center().y());
            if (row != 0 || column != 3)
                QCOMPARE(cell.color, cold);
        }
    // And the painted pixels say the same.
    const QImage image = plot.toPixmap(500, 400).toImage();
    const QPoint at = topRight.rect.topLeft().toPoint() + QPoint(5, 5);
    QCOMPARE(image.pixelColor(at).name(), hot.name());
    const QPoint bottomLeft = plot.cellPicture(3, 0).rect.topLeft().toPoint() + QPoint(5, 5);
    QCOMPARE(image.pixelColor(bottomLeft).name(), cold.name());
}

void WidgetsPlots::allEqualGridShowsItsColour()
{
    HeatmapPlot plot;
    plot.resize(500, 400);
    for (const double value : {0.0, 0.25, 1.0}) {
        plot.setGrid(squareGrid(value, value));
        plot.replot();
        for (int row = 0; row < 4; ++row)
            QCOMPARE(plot.cellPicture(row, row).color, ColorMap::named("viridis").at(value));
    }
}

void WidgetsPlots::missingCellsHaveNoColour()
{
    std::vector<model::NeedleCell> cells(2);
    cells[0].length = 64;
    cells[1].length = 128;
    cells[1].depth = 1;
    cells[0].trials = cells[1].trials = 10;
    HeatmapPlot plot;
    plot.resize(400, 300);
    plot.setGrid(model::gridOfCells(cells));
    plot.replot();
    QVERIFY(plot.cellPicture(0, 0).color.isValid());
    QVERIFY(!plot.cellPicture(0, 1).color.isValid());
    QVERIFY(plot.cellPicture(0, 1).text.isEmpty());
}

void WidgetsPlots::differenceIsCentred()
{
    const auto& polar = ColorMap::named("polar");
    const QColor zero = polar.at(0.5);
    QVERIFY(zero.lightness() > 235);
    for (const double d : {0.2, 0.5, 1.0}) {
        QVERIFY(polar.at(0.5 + d / 2).red() > polar.at(0.5 + d / 2).blue());
        QVERIFY(polar.at(0.5 - d / 2).blue() > polar.at(0.5 - d / 2).red());
    }
    HeatmapPlot plot;
    plot.resize(500, 400);
    plot.setDifference(model::difference(squareGrid(0.5, 0.5), squareGrid(0.5, 0.5)));
    plot.replot();
    QCOMPARE(plot.cellPicture(1, 1).color, zero);
}

void WidgetsPlots::cellTextHasContrast()
{
    for (const char* name : {"viridis", "cividis", "polar"})
        for (int i = 0; i <= 200; ++i) {
            const QColor color = ColorMap::named(name).at(i / 200.0);
            QVERIFY2(contrast(color, contrastText(color)) >= 4.5, name);
        }
}

void WidgetsPlots::heatmapCsvAgreesWithThePicture()
{
    HeatmapPlot plot;
    plot.setGrid(squareGrid(0.25, 1));
    const QStringList lines = plot.csv().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines[0], QString("depth,64,128,192,256"));
    QCOMPARE(lines[1], QString("0,0.25,0.25,0.25,1"));
    QCOMPARE(lines[4].section(',', 0, 0), QString("1"));
}

void WidgetsPlots::draggingAPointChangesTheta()
{
    LadderPlot plot;
    plot.resize(600, 400);
    std::vector<double> theta;
    for (int i = 0; i < 8; ++i)
        theta.push_back(std::pow(10.0, -0.4 * i));
    plot.setLadder(theta, 256, 0);
    plot.show();
    plot.replot();
    std::vector<double> seen;
    int plane = -1;
    connect(&plot, &LadderPlot::thetaDragged, this, [&](int p, double value) {
        plane = p;
        seen.push_back(value);
    });
    const QPoint from(static_cast<int>(plot.xAxis->coordToPixel(3)), static_cast<int>(plot.yAxis->coordToPixel(std::log10(theta[3]))));
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, from - QPoint(0, 40));
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, from - QPoint(0, 40));
    QCOMPARE(plane, 3);
    QVERIFY(!seen.empty() && seen.back() > theta[3]);
    QVERIFY(plot.csv().contains("\n3," + QString::number(seen.back(), 'g', 17)));
}

void WidgetsPlots::everyPlotExports()
{
    QTemporaryDir dir;
    CurvePlot curves;
    curves.setCurve("c", {});
    curves.append("c", {1, 2, 3}, {3, 2, 1});
    curves.refresh();
    HeatmapPlot heatmap;
    heatmap.setGrid(squareGrid(0.5, 1));
    LadderPlot ladder;
    ladder.setLadder({1, 0.1, 0.01}, 256, 0);
    KernelPlot kernel;
    kernel.setKernel({0, 1, 2}, {1, 0.5, -0.2}, 2, 0);
    TurnsPlot turns;
    turns.setTurns({40, 4, 0.4}, 0);
    StripPlot strips;
    strips.setGroups({{"a", 0, {{"r1", 1, 0.5}, {"r2", 2, 0.9}}, 0.7, 0.28}}, "needle", true);
    AccuracyPlot accuracy;
    accuracy.setSeries({{"a", 0, false, {{0, 0.5, 0.3, 0.7, 10}, {50, 0.8, 0.6, 0.9, 10}}}});
    const std::vector<std::pair<QString, Plot*>> plots = {{"curves", &curves}, {"heatmap", &heatmap}, {"ladder", &ladder}, {"kernel", &kernel}, {"turns", &turns}, {"strips", &strips}, {"accuracy", &accuracy}};
    for (const auto& [name, plot] : plots) {
        plot->resize(500, 300);
        for (const char* ending : {"pdf", "svg", "png", "csv"}) {
            const QString file = dir.filePath(name + '.' + ending);
            QCOMPARE(exportPlot(*plot, file, {90, 60, 8, 150}), QString());
            QVERIFY2(QFileInfo(file).size() > 20, qPrintable(file));
        }
        QFile pdf(dir.filePath(name + ".pdf"));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        const QByteArray bytes = pdf.readAll();
        QVERIFY(bytes.startsWith("%PDF"));
        QVERIFY2(bytes.contains("/FontFile"), qPrintable(name + ": fonts are not embedded"));
        QImage png(dir.filePath(name + ".png"));
        QVERIFY(std::abs(png.width() - 90 / 25.4 * 150) < 4);
        QFile svg(dir.filePath(name + ".svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("width=\"90mm\""));
    }
    QVERIFY(!exportPlot(curves, dir.filePath("x.gif")).isEmpty());
    QVERIFY(!exportPlot(curves, dir.filePath("no/such/folder/x.csv")).isEmpty());
}

void WidgetsPlots::fontDrawsDigits()
{
    QImage image(200, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    QFont font("DejaVu Sans", 12);
    painter.setFont(font);
    painter.drawText(5, 25, "0123456789");
    painter.end();
    int dark = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            dark += image.pixelColor(x, y).lightness() < 100;
    QVERIFY2(dark > 100, qPrintable(QString::number(dark)));
}

void WidgetsPlots::titlesFitTheirPlot()
{
    HeatmapPlot plot;
    plot.setGrid(squareGrid(0.5, 0.5));
    for (const int height : {900, 300, 160, 100}) {
        plot.resize(300, height);
        plot.show();
        plot.replot();
        const QString label = plot.yAxis->label();
        QVERIFY(!label.isEmpty());
        if (height == 900)
            QCOMPARE(label, QString("needle depth (% of context)"));
        if (height == 100)
            QVERIFY2(label != "needle depth (% of context)", qPrintable(label));
    }
    plot.resize(300, 900);  // and back
    plot.replot();
    plot.replot();
    QCOMPARE(plot.yAxis->label(), QString("needle depth (% of context)"));
}

void WidgetsPlots::captionsAreShortenedAndExportedWhole()
{
    HeatmapPlot plot;
    plot.setGrid(squareGrid(0.5, 0.5));
    plot.resize(600, 400);
    plot.setCaption("a caption of moderate length");
    plot.show();
    plot.replot();
    const auto shown = [&] {
        for (int i = 0; i < plot.plotLayout()->elementCount(); ++i)
            if (auto* text = qobject_cast<QCPTextElement*>(plot.plotLayout()->elementAt(i)))
                return text->text();
        return QString();
    };
    QCOMPARE(shown(), QString("a caption of moderate length"));
    plot.resize(180, 400);
    plot.replot();
    QVERIFY(shown() != "a caption of moderate length");
    QVERIFY(shown().size() > 6);
    plot.setExporting(true);
    QCOMPARE(shown(), QString("a caption of moderate length"));
}

void WidgetsPlots::latexEscapesItsCaption()
{
    const QString text = latexFigure("/tmp/some fig.pdf", 84, "50 % of d_k & more", "holonomy report p");
    QVERIFY(text.startsWith("% holonomy report p\n"));
    QVERIFY(text.contains("\\caption{50 \\% of d\\_k \\& more}"));
    QVERIFY(text.contains("width=84mm") && text.contains("{some fig.pdf}"));
    QVERIFY(latexFigure("/tmp/a.pdf", 84, "c", {}).startsWith("\\begin{figure}"));
}

void WidgetsPlots::spreadIsDrawnWhole()
{
    StripPlot plot;
    plot.setGroups({{"a", 0, {{"r1", 1, 1.0}, {"r2", 2, 1.0}, {"r3", 3, 0.1}}, 0.7, 0.52}}, "needle (%)", true);
    QVERIFY(plot.yAxis->range().upper > 122);
    QVERIFY(plot.yAxis->range().lower <= 0);
}

QTEST_MAIN(WidgetsPlots)
#include "tst_widgets_plots.moc"
