#include "widgets/plots/accuracy_plot.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

AccuracyPlot::AccuracyPlot(QWidget* parent)
    : Plot(parent)
{
    yAxis->setLabel(tr("exact match (%)"));
    auto ticker = QSharedPointer<QCPAxisTicker>::create();
    ticker->setTickCount(4);
    yAxis->setTicker(ticker);
    new PaintedLayer(axisRect(), "cells", [this](QCPPainter& painter, const QRect& rect) {
        const double x = xAxis->coordToPixel(m_edge);
        if (m_edge <= 0 || x >= rect.right())
            return;
        QColor hatch = theme().secondary;
        hatch.setAlpha(70);
        painter.save();
        painter.setClipRect(QRectF(QPointF(std::max<double>(x, rect.left()), rect.top()), QPointF(rect.right(), rect.bottom())));
        painter.setPen(QPen(hatch, 1));
        for (double at = rect.left() - rect.height(); at < rect.right(); at += 8)
            painter.drawLine(QPointF(at, rect.bottom()), QPointF(at + rect.height(), rect.top()));
        painter.restore();
    });
    new PaintedLayer(axisRect(), "marks", [this](QCPPainter& painter, const QRect& rect) {
        if (m_chance <= 0)
            return;
        painter.setAntialiasing(false);
        const double y = yAxis->coordToPixel(100 * m_chance);
        painter.setPen(QPen(theme().secondary, 1, Qt::DotLine));
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        painter.setPen(theme().secondary);
        painter.setFont(xAxis->tickLabelFont());
        painter.drawText(QRectF(rect.left() + 6, y - 17, 120, 16), Qt::AlignLeft | Qt::AlignBottom, tr("chance"));
    });
}

void AccuracyPlot::setSeries(const std::vector<AccuracySeries>& series)
{
    m_series = series;
    for (auto& s : m_series)
        std::sort(s.points.begin(), s.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    clearGraphs();
    for (const auto& s : m_series) {
        QVector<QCPGraphData> low;
        QVector<QCPGraphData> high;
        QVector<QCPGraphData> mid;
        for (const auto& p : s.points) {
            low.append(QCPGraphData(p.x, 100 * p.low));
            high.append(QCPGraphData(p.x, 100 * p.high));
            mid.append(QCPGraphData(p.x, 100 * p.share));
        }
        QCPGraph* lowGraph = addGraph();
        QCPGraph* highGraph = addGraph();
        QCPGraph* midGraph = addGraph();
        lowGraph->data()->set(low, true);
        highGraph->data()->set(high, true);
        midGraph->data()->set(mid, true);
        highGraph->setChannelFillGraph(lowGraph);
    }
    const bool any = std::any_of(m_series.begin(), m_series.end(), [](const auto& s) { return !s.points.empty(); });
    setMessage(any ? QString() : tr("no evaluation"));
    restyle();
    if (!m_userZoomed)
        fit();
    requestReplot();
}

void AccuracyPlot::setChance(double share)
{
    m_chance = share;
    requestReplot();
}

void AccuracyPlot::setWindowEdge(double x)
{
    m_edge = x;
    requestReplot();
}

void AccuracyPlot::restyle(double fontPt)
{
    Plot::restyle(fontPt);
    for (std::size_t i = 0; i < m_series.size() && static_cast<int>(3 * i + 2) < graphCount(); ++i) {
        const ArmStyle style = armStyle(m_series[i].arm);
        QColor fill = style.color;
        // Many bands on top of each other would hide the lines; of a step function they are coarse, and the read-out gives them.
        fill.setAlphaF(m_series.size() <= 3 ? 0.15f : m_steps ? 0 : 0.08f);
        const int at = static_cast<int>(3 * i);
        graph(at)->setPen(Qt::NoPen);
        graph(at + 1)->setPen(Qt::NoPen);
        graph(at + 1)->setBrush(fill);
        graph(at + 2)->setPen(QPen(style.color, 2, m_series[i].dashed ? Qt::DashLine : style.dash));
        const bool few = !m_steps && m_series[i].points.size() <= 40;
        graph(at + 2)->setScatterStyle(few ? QCPScatterStyle(QCPScatterStyle::ssDisc, style.color, style.color, 5) : QCPScatterStyle());
    }
}

void AccuracyPlot::fit()
{
    double low = INFINITY;
    double high = -INFINITY;
    for (const auto& s : m_series)
        for (const auto& p : s.points) {
            low = std::min(low, p.x);
            high = std::max(high, p.x);
        }
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    const double pad = high > low ? 0.02 * (high - low) : 0.5;
    xAxis->setRange(low - pad, high + pad);
    yAxis->setRange(-2, 103);
}

QString AccuracyPlot::readout(const QPointF& position)
{
    const double x = xAxis->pixelToCoord(position.x());
    QString rows;
    double shown = x;
    for (const auto& s : m_series) {
        if (s.points.empty())
            continue;
        const auto nearest = std::min_element(s.points.begin(), s.points.end(), [&](const auto& a, const auto& b) { return std::abs(a.x - x) < std::abs(b.x - x); });
        shown = nearest->x;
        rows += QStringLiteral("<tr><td><span style='color:%1'>■</span> %2&nbsp;&nbsp;</td><td align='right'><b>%3 %</b></td><td>&nbsp;[%4, %5]</td></tr>")
                    .arg(armStyle(s.arm).color.name(), s.label.toHtmlEscaped(), formatPercent(nearest->share), formatPercent(nearest->low), formatPercent(nearest->high));
    }
    if (rows.isEmpty())
        return {};
    return QStringLiteral("<table cellspacing='0'><tr><td colspan='3'>%1: %2</td></tr>").arg(xAxis->label().toHtmlEscaped(), formatValue(shown, 5)) + rows + "</table>";
}

QString AccuracyPlot::csv() const
{
    QString text = QStringLiteral("series,x,exact,low,high,trials\n");
    for (const auto& s : m_series)
        for (const auto& p : s.points)
            text += '"' + QString(s.label).replace('"', "\"\"") + "\"," + QString::number(p.x, 'g', 17) + ',' + QString::number(p.share, 'g', 17) + ','
                + QString::number(p.low, 'g', 17) + ',' + QString::number(p.high, 'g', 17) + ',' + QString::number(p.trials, 'g', 17) + '\n';
    return text;
}

}  // namespace holo::widgets
