#include "widgets/plots/heatmap_plot.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/color_map.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

namespace {

constexpr double kTextWidth = 34;   // px: a narrower cell holds no number
constexpr double kTextHeight = 13;

QCPColorGradient gradientOf(const QString& map)
{
    QCPColorGradient gradient;
    gradient.setLevelCount(256);
    gradient.clearColorStops();
    for (int i = 0; i <= 16; ++i)
        gradient.setColorStopAt(i / 16.0, ColorMap::named(map).at(i / 16.0));
    return gradient;
}

}  // namespace

HeatmapPlot::HeatmapPlot(QWidget* parent)
    : Plot(parent)
    , m_scale(new QCPColorScale(this))
    , m_title(new QCPTextElement(this))
    , m_lengthTicker(QSharedPointer<CategoryTicker>::create())
    , m_depthTicker(QSharedPointer<CategoryTicker>::create())
{
    setInteractions({});
    plotLayout()->insertRow(0);
    plotLayout()->addElement(0, 0, m_title);
    plotLayout()->addElement(1, 1, m_scale);
    plotLayout()->setRowSpacing(2);
    plotLayout()->setColumnSpacing(6);
    m_scale->setType(QCPAxis::atRight);
    m_scale->setBarWidth(10);
    m_scale->setRangeDrag(false);
    m_scale->setRangeZoom(false);
    axisRect()->setMinimumMargins(QMargins(8, 6, 8, 8));
    auto* group = new QCPMarginGroup(this);
    axisRect()->setMarginGroup(QCP::msTop | QCP::msBottom, group);
    m_scale->setMarginGroup(QCP::msTop | QCP::msBottom, group);
    xAxis->setTicker(m_lengthTicker);
    yAxis->setTicker(m_depthTicker);
    xAxis->grid()->setVisible(false);
    yAxis->grid()->setVisible(false);
    yAxis->setRangeReversed(true);
    xAxis->setLabel(tr("prompt length (tokens)"));
    yAxis->setLabel(tr("needle depth (% of context)"));
    new PaintedLayer(axisRect(), "cells", [this](QCPPainter& painter, const QRect& rect) { paintCells(painter, rect); });
    setToolTip({});
    connect(this, &QCustomPlot::beforeReplot, this, [this] {
        // The title may not widen its column: the layout would push the scale out of the picture.
        const int room = viewport().width() - (m_scale->visible() ? std::clamp(m_scale->outerRect().width(), 60, 110) : 0) - 16;
        m_title->setText(QFontMetrics(m_title->font()).elidedText(m_caption, Qt::ElideMiddle, room));
    });
    updateAxes();
    HeatmapPlot::restyle();
}

void HeatmapPlot::restyle(double fontPt)
{
    Plot::restyle(fontPt);
    QFont font = QApplication::font();
    font.setPointSizeF(fontPt + 0.5);
    font.setBold(true);
    m_title->setFont(font);
    m_title->setTextColor(theme().text);
    m_scale->setGradient(gradientOf(m_isDifference ? QStringLiteral("polar") : m_map));
    for (auto* axis : {xAxis, yAxis}) {
        axis->setTickLength(0, 2);
        axis->setBasePen(Qt::NoPen);
    }
    m_scale->axis()->setTickLabelColor(theme().secondary);
    m_scale->axis()->setLabelColor(theme().secondary);
    m_scale->axis()->setTickLabelFont(xAxis->tickLabelFont());
    m_scale->axis()->setLabelFont(xAxis->labelFont());
    for (auto* axis : m_scale->axis()->axisRect()->axes()) {
        axis->setBasePen(Qt::NoPen);
        axis->setTickPen(Qt::NoPen);
        axis->setSubTickPen(Qt::NoPen);
    }
}

void HeatmapPlot::setGrid(const model::NeedleGrid& grid)
{
    m_grid = grid;
    m_isDifference = false;
    m_lengths = grid.lengths;
    m_depths = grid.depths;
    updateAxes();
}

void HeatmapPlot::setDifference(const model::DifferenceGrid& grid)
{
    m_difference = grid;
    m_isDifference = true;
    m_lengths = grid.lengths;
    m_depths = grid.depths;
    updateAxes();
}

void HeatmapPlot::clear() { setGrid({}); }

void HeatmapPlot::setColorMap(const QString& name)
{
    m_map = name;
    restyle();
    requestReplot();
}

void HeatmapPlot::setScaleVisible(bool visible)
{
    m_scaleWanted = visible;
    placeScale(visible);
}

void HeatmapPlot::setExporting(bool on)
{
    placeScale(on || m_scaleWanted);
    m_title->setText(m_caption);
}

void HeatmapPlot::placeScale(bool visible)
{
    if (visible == m_scale->visible())
        return;
    if (visible) {
        plotLayout()->addElement(1, 1, m_scale);
    } else {
        plotLayout()->take(m_scale);
        plotLayout()->simplify();  // the empty column would keep its room
    }
    m_scale->setVisible(visible);
    requestReplot();
}

void HeatmapPlot::setCaption(const QString& caption)
{
    m_caption = caption;
    m_title->setText(caption);
    setTitle(caption);
    requestReplot();
}

void HeatmapPlot::setDifferenceTitle(const QString& title)
{
    m_differenceTitle = title;
    updateAxes();
}

void HeatmapPlot::setCurrent(std::optional<std::pair<int, int>> cell)
{
    m_current = cell;
    requestReplot();
}

void HeatmapPlot::updateAxes()
{
    QStringList lengths;
    QStringList depths;
    for (const auto length : m_lengths)
        lengths << QString::number(length);
    for (const double depth : m_depths)
        depths << QString::number(100 * depth, 'g', 4);
    m_lengthTicker->setNames(lengths);
    m_depthTicker->setNames(depths);
    m_depthTicker->setMost(std::max(2, height() / 18));
    m_lengthTicker->setMost(std::max(2, width() / 40));
    if (m_isDifference) {
        m_scale->setDataRange(QCPRange(-100, 100));
        m_scale->axis()->setLabel(m_differenceTitle);
    } else {
        m_scale->setDataRange(QCPRange(0, 100));
        m_scale->axis()->setLabel(tr("exact match (%)"));
    }
    setMessage(m_lengths.empty() ? tr("no evaluation") : QString());
    restyle();
    fit();
    requestReplot();
}

void HeatmapPlot::fit()
{
    xAxis->setRange(-0.5, std::max(0, columns() - 1) + 0.5);
    yAxis->setRange(-0.5, std::max(0, rows() - 1) + 0.5);
}

double HeatmapPlot::value(int row, int column) const
{
    const std::size_t index = static_cast<std::size_t>(row) * m_lengths.size() + static_cast<std::size_t>(column);
    if (m_isDifference)
        return m_difference.difference[index];
    const auto& cell = m_grid.cells[index];
    return cell ? cell->accuracy : std::numeric_limits<double>::quiet_NaN();
}

bool HeatmapPlot::isNoise(int row, int column) const
{
    return m_isDifference && m_difference.noise[static_cast<std::size_t>(row) * m_lengths.size() + static_cast<std::size_t>(column)];
}

QColor HeatmapPlot::colorOf(double v) const
{
    return m_isDifference ? ColorMap::named("polar").at((v + 1) / 2) : ColorMap::named(m_map).at(v);
}

QString HeatmapPlot::cellText(int row, int column) const
{
    const double v = value(row, column);
    if (std::isnan(v))
        return {};
    const double percent = 100 * v;
    if (m_isDifference)
        return (percent > 0.5 ? QStringLiteral("+") : percent < -0.5 ? QStringLiteral("−") : QString()) + QString::number(std::abs(percent), 'f', 0);
    return QString::number(percent, 'f', 0);
}

HeatmapPlot::CellPicture HeatmapPlot::cellPicture(int row, int column) const
{
    CellPicture picture;
    const double left = xAxis->coordToPixel(column - 0.5);
    const double right = xAxis->coordToPixel(column + 0.5);
    const double top = yAxis->coordToPixel(row - 0.5);
    const double bottom = yAxis->coordToPixel(row + 0.5);
    picture.rect = QRectF(QPointF(left, top), QPointF(right, bottom));
    const double v = value(row, column);
    if (!std::isnan(v)) {
        picture.color = colorOf(v);
        picture.text = cellText(row, column);
    }
    return picture;
}

void HeatmapPlot::paintCells(QCPPainter& painter, const QRect& rect) const
{
    Q_UNUSED(rect)
    const Theme& t = theme();
    painter.setAntialiasing(false);
    QFont font = xAxis->tickLabelFont();
    for (int row = 0; row < rows(); ++row)
        for (int column = 0; column < columns(); ++column) {
            const CellPicture picture = cellPicture(row, column);
            const QRectF cell = picture.rect;
            const bool hasGap = cell.width() > 8 && cell.height() > 6;
            const QRectF inner = hasGap ? cell.adjusted(0.5, 0.5, -0.5, -0.5) : cell;
            if (!picture.color.isValid()) {
                painter.setPen(QPen(t.grid, 1));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(inner.adjusted(0, 0, -1, -1));
                painter.setBrush(t.secondary);
                painter.setPen(Qt::NoPen);
                painter.drawEllipse(cell.center(), 1.5, 1.5);
                continue;
            }
            painter.fillRect(inner, picture.color);
            if (isNoise(row, column)) {
                QColor hatch = contrastText(picture.color);
                hatch.setAlpha(110);
                painter.save();
                painter.setClipRect(inner);
                painter.setPen(QPen(hatch, 1));
                painter.setAntialiasing(true);
                for (double x = inner.left() - inner.height(); x < inner.right(); x += 6)
                    painter.drawLine(QPointF(x, inner.bottom()), QPointF(x + inner.height(), inner.top()));
                painter.restore();
            }
            if (cell.width() >= kTextWidth && cell.height() >= kTextHeight) {
                painter.setFont(font);
                if (isNoise(row, column)) {
                    const double half = painter.fontMetrics().horizontalAdvance(picture.text) / 2.0 + 3;
                    painter.fillRect(QRectF(cell.center().x() - half, cell.center().y() - 7, 2 * half, 14), picture.color);
                }
                painter.setPen(contrastText(picture.color));
                painter.drawText(cell, Qt::AlignCenter, picture.text);
            }
        }
    // Where the trained window ends: everything to the right is extrapolation.
    if (!m_isDifference && m_grid.context > 0) {
        int inside = 0;
        while (inside < columns() && m_lengths[static_cast<std::size_t>(inside)] <= m_grid.context)
            ++inside;
        if (inside > 0 && inside < columns()) {
            const double x = xAxis->coordToPixel(inside - 0.5);
            painter.setPen(QPen(t.text, 2, Qt::DashLine));
            painter.drawLine(QPointF(x, axisRect()->top()), QPointF(x, axisRect()->bottom()));
        }
    }
    if (m_current && m_current->first < rows() && m_current->second < columns()) {
        const QRectF cell = cellPicture(m_current->first, m_current->second).rect;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.page, 4));
        painter.drawRect(cell.adjusted(1, 1, -1, -1));
        painter.setPen(QPen(t.accent, 2));
        painter.drawRect(cell.adjusted(1, 1, -1, -1));
    }
}

std::optional<std::pair<int, int>> HeatmapPlot::cellAt(const QPointF& position) const
{
    if (!axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const int column = static_cast<int>(std::floor(xAxis->pixelToCoord(position.x()) + 0.5));
    const int row = static_cast<int>(std::floor(yAxis->pixelToCoord(position.y()) + 0.5));
    if (row < 0 || row >= rows() || column < 0 || column >= columns())
        return std::nullopt;
    return std::pair(row, column);
}

QString HeatmapPlot::readout(const QPointF& position)
{
    const auto at = cellAt(position);
    Q_EMIT cellHovered(at ? at->first : -1, at ? at->second : -1);
    if (!at)
        return {};
    const auto [row, column] = *at;
    const double v = value(row, column);
    const QString head = tr("length %1 · depth %2 %")
                             .arg(m_lengths[static_cast<std::size_t>(column)])
                             .arg(formatValue(100 * m_depths[static_cast<std::size_t>(row)], 4));
    if (std::isnan(v))
        return head + "<br>" + tr("not evaluated");
    if (m_isDifference)
        return head + QStringLiteral("<br><b>%1</b> %2%3").arg(formatPercent(v), tr("points"), isNoise(row, column) ? tr(" · within noise") : QString());
    const auto& cell = *m_grid.cells[static_cast<std::size_t>(row) * m_lengths.size() + static_cast<std::size_t>(column)];
    QString text = head
        + QStringLiteral("<br><b>%1 %</b> [%2, %3] · %4").arg(formatPercent(cell.accuracy), formatPercent(cell.low), formatPercent(cell.high), tr("%n trial(s)", nullptr, static_cast<int>(cell.trials)));
    if (cell.seeds > 1)
        text += tr(" of %1 seeds").arg(cell.seeds);
    if (std::isfinite(cell.nll))
        text += QStringLiteral("<br>") + tr("answer %1 nats/token").arg(formatValue(cell.nll, 3));
    if (cell.outsideTraining)
        text += QStringLiteral("<br>") + tr("outside the training window");
    return text;
}

void HeatmapPlot::mousePressEvent(QMouseEvent* event)
{
    Plot::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto at = cellAt(event->position())) {
        setCurrent(at);
        Q_EMIT cellSelected(m_lengths[static_cast<std::size_t>(at->second)], m_depths[static_cast<std::size_t>(at->first)]);
    }
}

void HeatmapPlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto at = cellAt(event->position()))
        Q_EMIT cellActivated(m_lengths[static_cast<std::size_t>(at->second)], m_depths[static_cast<std::size_t>(at->first)]);
}

void HeatmapPlot::keyPressEvent(QKeyEvent* event)
{
    if (rows() == 0)
        return Plot::keyPressEvent(event);
    auto [row, column] = m_current.value_or(std::pair(0, 0));
    switch (event->key()) {
    case Qt::Key_Up: --row; break;
    case Qt::Key_Down: ++row; break;
    case Qt::Key_Left: --column; break;
    case Qt::Key_Right: ++column; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT cellActivated(m_lengths[static_cast<std::size_t>(column)], m_depths[static_cast<std::size_t>(row)]);
        return;
    default: return Plot::keyPressEvent(event);
    }
    row = std::clamp(row, 0, rows() - 1);
    column = std::clamp(column, 0, columns() - 1);
    setCurrent(std::pair(row, column));
    Q_EMIT cellSelected(m_lengths[static_cast<std::size_t>(column)], m_depths[static_cast<std::size_t>(row)]);
}

void HeatmapPlot::resizeEvent(QResizeEvent* event)
{
    m_depthTicker->setMost(std::max(2, event->size().height() / 20));
    m_lengthTicker->setMost(std::max(2, event->size().width() / 44));
    Plot::resizeEvent(event);
}

void HeatmapPlot::extendMenu(QMenu& menu)
{
    if (m_isDifference)
        return;
    for (const QString& name : ColorMap::accuracyMaps()) {
        QAction* action = menu.addAction(tr("Colours: %1").arg(name), this, [this, name] {
            setColorMap(name);
            Q_EMIT colorMapChosen(name);
        });
        action->setCheckable(true);
        action->setChecked(name == m_map);
    }
}

QString HeatmapPlot::csv() const
{
    QString text = QStringLiteral("depth");
    for (const auto length : m_lengths)
        text += ',' + QString::number(length);
    text += '\n';
    for (int row = 0; row < rows(); ++row) {
        text += QString::number(m_depths[static_cast<std::size_t>(row)], 'g', 17);
        for (int column = 0; column < columns(); ++column) {
            const double v = value(row, column);
            text += ',' + (std::isnan(v) ? QString() : QString::number(v, 'g', 17));
        }
        text += '\n';
    }
    return text;
}

}  // namespace holo::widgets
