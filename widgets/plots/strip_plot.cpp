#include "widgets/plots/strip_plot.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <map>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

StripPlot::StripPlot(QWidget* parent)
    : Plot(parent)
    , m_ticker(QSharedPointer<CategoryTicker>::create())
{
    setTitle(tr("seeds"));
    setInteractions({});
    xAxis->setTicker(m_ticker);
    xAxis->grid()->setVisible(false);
    xAxis->setSubTicks(false);
    new PaintedLayer(axisRect(), "main", [this](QCPPainter& painter, const QRect& rect) { paint(painter, rect); });
}

void StripPlot::setGroups(const std::vector<StripGroup>& groups, const QString& valueTitle, bool isShare)
{
    m_groups = groups;
    m_isShare = isShare;
    QStringList names;
    bool any = false;
    for (const auto& group : groups) {
        names << group.arm + tr("\nn = %1").arg(group.dots.size());
        any = any || !group.dots.empty();
    }
    m_ticker->setNames(names);
    yAxis->setLabel(valueTitle);
    setMessage(any ? QString() : tr("no seed has this value yet"));
    fit();
    requestReplot();
}

void StripPlot::setPaired(bool on)
{
    m_paired = on;
    requestReplot();
}

void StripPlot::setSelected(const QString& run)
{
    if (m_selected == run)
        return;
    m_selected = run;
    requestReplot();
}

void StripPlot::fit()
{
    xAxis->setRange(-0.6, std::max<double>(1, static_cast<double>(m_groups.size())) - 0.4);
    const double scale = m_isShare ? 100 : 1;
    double low = m_isShare ? 0 : INFINITY;
    double high = m_isShare ? 100 : -INFINITY;
    const auto take = [&](double value) {
        if (!std::isfinite(value))
            return;
        low = std::min(low, scale * value);
        high = std::max(high, scale * value);
    };
    for (const auto& group : m_groups) {
        for (const auto& dot : group.dots)
            take(dot.value);
        // Mean ± SD is drawn whole, also where it leaves what a share can be.
        take(group.mean - group.sd);
        take(group.mean + group.sd);
    }
    if (m_isShare) {
        yAxis->setRange(low - 3, high + 3);
        return;
    }
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    const double pad = high > low ? 0.08 * (high - low) : std::max(std::abs(high) * 0.05, 0.5);
    yAxis->setRange(low - pad, high + pad);
}

std::vector<StripPlot::Placed> StripPlot::placed() const
{
    std::vector<Placed> result;
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const auto& dots = m_groups[g].dots;
        for (std::size_t i = 0; i < dots.size(); ++i) {
            if (!std::isfinite(dots[i].value))
                continue;
            // Seeds stand side by side in their order, so that the same seed has the same place in every arm.
            const double spread = dots.size() > 1 ? (static_cast<double>(i) / static_cast<double>(dots.size() - 1) - 0.5) * 0.36 : 0;
            const double value = m_isShare ? 100 * dots[i].value : dots[i].value;
            result.push_back({&m_groups[g], &dots[i], QPointF(xAxis->coordToPixel(static_cast<double>(g) - 0.06 + spread), yAxis->coordToPixel(value))});
        }
    }
    return result;
}

void StripPlot::paint(QCPPainter& painter, const QRect& rect) const
{
    Q_UNUSED(rect)
    const Theme& t = theme();
    const auto dots = placed();
    painter.setAntialiasing(true);
    if (m_paired) {
        std::map<std::int64_t, QPolygonF> pairs;
        for (const auto& p : dots)
            pairs[p.dot->seed] << p.at;
        QColor line = t.secondary;
        line.setAlpha(60);
        painter.setPen(QPen(line, 1));
        for (const auto& [seed, polygon] : pairs)
            painter.drawPolyline(polygon);
    }
    for (const auto& p : dots) {
        const ArmStyle style = armStyle(p.group->armIndex);
        const bool selected = !m_selected.isEmpty() && p.dot->run == m_selected;
        QColor fill = style.color;
        fill.setAlphaF(0.7f);
        painter.setBrush(fill);
        painter.setPen(QPen(selected ? t.text : style.outline.isValid() ? style.outline : style.color, selected ? 2 : 1));
        painter.drawEllipse(p.at, selected ? 6.0 : 4.5, selected ? 6.0 : 4.5);
    }
    painter.setFont(xAxis->tickLabelFont());
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const StripGroup& group = m_groups[g];
        if (group.dots.empty() || !std::isfinite(group.mean))
            continue;
        const double scale = m_isShare ? 100 : 1;
        const double x = xAxis->coordToPixel(static_cast<double>(g) + 0.26);
        const double y = yAxis->coordToPixel(scale * group.mean);
        painter.setPen(QPen(t.text, 2));
        if (std::isfinite(group.sd)) {
            const double top = yAxis->coordToPixel(scale * (group.mean + group.sd));
            const double bottom = yAxis->coordToPixel(scale * (group.mean - group.sd));
            painter.setPen(QPen(t.text, 1.2));
            painter.drawLine(QPointF(x, top), QPointF(x, bottom));
            painter.drawLine(QPointF(x - 4, top), QPointF(x + 4, top));
            painter.drawLine(QPointF(x - 4, bottom), QPointF(x + 4, bottom));
            painter.setPen(QPen(t.text, 2));
        }
        painter.drawLine(QPointF(x - 9, y), QPointF(x + 9, y));
        const Placed* worst = nullptr;
        for (const auto& p : dots)
            if (p.group == &group && (!worst || (m_isShare ? p.at.y() > worst->at.y() : p.at.y() < worst->at.y())))
                worst = &p;
        if (worst && group.dots.size() > 1) {
            painter.setPen(t.secondary);
            painter.drawText(QRectF(worst->at.x() - 60, worst->at.y() + (worst->at.y() > rect.bottom() - 24 ? -22 : 6), 120, 16), Qt::AlignHCenter, tr("seed %1").arg(worst->dot->seed));
        }
    }
}

const StripDot* StripPlot::dotNear(const QPointF& position, const StripGroup** group) const
{
    const StripDot* nearest = nullptr;
    double best = 12;
    for (const auto& p : placed()) {
        const double distance = std::hypot(p.at.x() - position.x(), p.at.y() - position.y());
        if (distance < best) {
            best = distance;
            nearest = p.dot;
            if (group)
                *group = p.group;
        }
    }
    return nearest;
}

QString StripPlot::readout(const QPointF& position)
{
    const StripGroup* group = nullptr;
    if (const StripDot* dot = dotNear(position, &group))
        return QStringLiteral("%1 · %2<br><b>%3</b>").arg(group->arm.toHtmlEscaped(), tr("seed %1").arg(dot->seed), m_isShare ? formatPercent(dot->value) + " %" : formatValue(dot->value));
    const auto g = static_cast<std::ptrdiff_t>(std::llround(xAxis->pixelToCoord(position.x())));
    if (g < 0 || g >= static_cast<std::ptrdiff_t>(m_groups.size()) || m_groups[static_cast<std::size_t>(g)].dots.empty())
        return {};
    const StripGroup& hovered = m_groups[static_cast<std::size_t>(g)];
    const double scale = m_isShare ? 100 : 1;
    return QStringLiteral("%1<br>%2 ± %3 (SD, n−1)").arg(hovered.arm.toHtmlEscaped(), formatValue(scale * hovered.mean), formatValue(scale * hovered.sd, 3));
}

void StripPlot::mousePressEvent(QMouseEvent* event)
{
    Plot::mousePressEvent(event);
    if (event->button() == Qt::LeftButton)
        if (const StripDot* dot = dotNear(event->position(), nullptr))
            Q_EMIT runClicked(dot->run);
}

QString StripPlot::csv() const
{
    QString text = QStringLiteral("arm,seed,value\n");
    for (const auto& group : m_groups)
        for (const auto& dot : group.dots)
            text += '"' + QString(group.arm).replace('"', "\"\"") + "\"," + QString::number(dot.seed) + ','
                + (std::isnan(dot.value) ? QStringLiteral("nan") : QString::number(dot.value, 'g', 17)) + '\n';
    return text;
}

}  // namespace holo::widgets
