#include "widgets/plots/ladder_plot.h"

#include <QMouseEvent>
#include <cmath>
#include <numbers>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

LadderPlot::LadderPlot(QWidget* parent)
    : Plot(parent)
    , m_points(addGraph())
    , m_referencePoints(addGraph())
{
    setTitle(tr("ladder"));
    xAxis->setLabel(tr("plane"));
    yAxis->setLabel(tr("θ (rad/token)"));
    yAxis->setTicker(QSharedPointer<LogTicker>::create());
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    ticker->setTickCount(6);
    xAxis->setTicker(ticker);
    xAxis->setSubTicks(false);
    m_points->setLineStyle(QCPGraph::lsNone);
    new PaintedLayer(axisRect(), "cells", [this](QCPPainter& painter, const QRect& rect) {
        if (m_context <= 0)
            return;
        const double y = yAxis->coordToPixel(std::log10(2 * std::numbers::pi / static_cast<double>(m_context)));
        if (y < rect.bottom()) {
            QColor shade = theme().secondary;
            shade.setAlpha(theme().dark ? 38 : 24);
            painter.fillRect(QRectF(QPointF(rect.left(), std::max(y, double(rect.top()))), QPointF(rect.right(), rect.bottom())), shade);
        }
        painter.setAntialiasing(false);
        painter.setPen(QPen(theme().secondary, 1, Qt::DashLine));
        if (y > rect.top() && y < rect.bottom())
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        painter.setPen(theme().secondary);
        painter.setFont(xAxis->tickLabelFont());
        for (const QString& text : {tr("below 2π/N: less than one turn in the context"), tr("less than one turn in N"), tr("< 1 turn")})
            if (painter.fontMetrics().horizontalAdvance(text) < rect.width() - 12 && rect.height() > 60) {
                painter.drawText(QRectF(rect.left() + 6, rect.bottom() - 18, rect.width() - 12, 16), Qt::AlignLeft, text);
                break;
            }
    });
    LadderPlot::restyle();
}

void LadderPlot::restyle(double fontPt)
{
    Plot::restyle(fontPt);
    const QColor color = armStyle(m_arm).color;
    m_points->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, color, 7));
    m_points->setPen(QPen(color, 1));
    m_referencePoints->setPen(QPen(theme().secondary, 1, Qt::DotLine));
}

void LadderPlot::setLadder(const std::vector<double>& theta, std::int64_t context, int arm)
{
    const bool newShape = theta.size() != m_theta.size();
    m_theta = theta;
    m_context = context;
    m_arm = arm;
    restyle();
    updateData();
    if (newShape || (!m_userZoomed && m_dragged < 0))
        fit();
    requestReplot();
}

void LadderPlot::setReference(const std::vector<double>& theta)
{
    m_reference = theta;
    updateData();
    requestReplot();
}

void LadderPlot::setCurrentPlane(int plane)
{
    m_current = plane;
    requestReplot();
}

void LadderPlot::updateData()
{
    const auto fill = [](QCPGraph* graph, const std::vector<double>& theta) {
        QVector<QCPGraphData> data;
        for (std::size_t i = 0; i < theta.size(); ++i)
            data.append(QCPGraphData(static_cast<double>(i), theta[i] > 0 ? std::log10(theta[i]) : std::numeric_limits<double>::quiet_NaN()));
        graph->data()->set(data, true);
    };
    fill(m_points, m_theta);
    fill(m_referencePoints, m_reference);
    const auto still = std::count_if(m_theta.begin(), m_theta.end(), [](double t) { return !(t > 0); });
    setMessage(m_theta.empty() || still == static_cast<std::ptrdiff_t>(m_theta.size()) ? tr("no rotation: θ = 0 in every plane") : QString());
}

void LadderPlot::fit()
{
    double low = m_context > 0 ? std::log10(2 * std::numbers::pi / static_cast<double>(m_context)) : 0;
    double high = low;
    for (const auto* list : {&m_theta, &m_reference})
        for (const double theta : *list)
            if (theta > 0) {
                low = std::min(low, std::log10(theta));
                high = std::max(high, std::log10(theta));
            }
    const double pad = std::max(0.15, 0.08 * (high - low));
    xAxis->setRange(-0.7, std::max<double>(1, static_cast<double>(m_theta.size())) - 0.3);
    yAxis->setRange(low - pad, high + pad);
}

int LadderPlot::planeNear(const QPointF& position, double tolerance) const
{
    int nearest = -1;
    double best = tolerance;
    for (std::size_t i = 0; i < m_theta.size(); ++i) {
        if (!(m_theta[i] > 0))
            continue;
        const double dx = xAxis->coordToPixel(static_cast<double>(i)) - position.x();
        const double dy = yAxis->coordToPixel(std::log10(m_theta[i])) - position.y();
        const double distance = std::hypot(dx, dy);
        if (distance < best) {
            best = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

QString LadderPlot::readout(const QPointF& position)
{
    const int plane = m_dragged >= 0 ? m_dragged : planeNear(position, 24);
    if (plane < 0)
        return {};
    const double theta = m_theta[static_cast<std::size_t>(plane)];
    return tr("plane %1<br>θ = <b>%2</b> rad/token<br>λ = 2π/θ = %3 tokens<br>%4 turns in N = %5")
        .arg(plane)
        .arg(formatValue(theta, 6), formatValue(2 * std::numbers::pi / theta, 5), formatValue(theta * static_cast<double>(m_context) / (2 * std::numbers::pi), 5))
        .arg(m_context);
}

void LadderPlot::mousePressEvent(QMouseEvent* event)
{
    const int plane = planeNear(event->position(), 10);
    if (event->button() == Qt::LeftButton && plane >= 0) {
        Q_EMIT planeSelected(plane);
        if (m_editable) {
            m_dragged = plane;
            return;
        }
    }
    Plot::mousePressEvent(event);
}

void LadderPlot::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragged < 0) {
        setCursor(m_editable && planeNear(event->position(), 10) >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
        Plot::mouseMoveEvent(event);
        return;
    }
    const double exponent = std::clamp(yAxis->pixelToCoord(event->position().y()), -12.0, std::log10(std::numbers::pi));
    m_theta[static_cast<std::size_t>(m_dragged)] = std::pow(10.0, exponent);
    updateData();
    requestReplot();
    Q_EMIT thetaDragged(m_dragged, m_theta[static_cast<std::size_t>(m_dragged)]);
}

void LadderPlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_dragged < 0) {
        Plot::mouseReleaseEvent(event);
        return;
    }
    m_dragged = -1;
    Q_EMIT dragFinished();
}

QString LadderPlot::csv() const
{
    QString text = QStringLiteral("plane,theta_rad_per_token,wavelength_tokens,turns\n");
    for (std::size_t i = 0; i < m_theta.size(); ++i)
        text += QStringLiteral("%1,%2,%3,%4\n")
                    .arg(i)
                    .arg(m_theta[i], 0, 'g', 17)
                    .arg(m_theta[i] > 0 ? QString::number(2 * std::numbers::pi / m_theta[i], 'g', 17) : QStringLiteral("inf"))
                    .arg(m_theta[i] * static_cast<double>(m_context) / (2 * std::numbers::pi), 0, 'g', 17);
    return text;
}

}  // namespace holo::widgets
