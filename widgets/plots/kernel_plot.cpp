#include "widgets/plots/kernel_plot.h"

#include <algorithm>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

KernelPlot::KernelPlot(QWidget* parent)
    : Plot(parent)
    , m_line(nullptr)
    , m_reference(addGraph())
{
    m_line = addGraph();
    setTitle(tr("kernel"));
    xAxis->setLabel(tr("distance Δ (tokens)"));
    yAxis->setLabel(tr("K(Δ)/M"));
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(0.5);
    yAxis->setTicker(ticker);
    new PaintedLayer(axisRect(), "marks", [this](QCPPainter& painter, const QRect& rect) {
        painter.setAntialiasing(false);
        const double x = xAxis->coordToPixel(static_cast<double>(m_context));
        painter.setFont(xAxis->tickLabelFont());
        if (m_context > 0 && x > rect.left() && x < rect.right()) {
            painter.setPen(QPen(theme().secondary, 1, Qt::DashLine));
            painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
            painter.setPen(theme().secondary);
            painter.drawText(QRectF(x + 4, rect.top() + 1, 30, 16), Qt::AlignLeft, tr("N"));
        }
        const QString text = QStringLiteral("┄ ") + m_referenceName;
        if (!m_referenceName.isEmpty() && painter.fontMetrics().horizontalAdvance(text) < rect.width() / 2) {
            painter.setPen(theme().secondary);
            const QRectF box = painter.boundingRect(QRectF(rect).adjusted(8, 1, -4, 0), Qt::AlignRight | Qt::AlignTop, text);
            painter.fillRect(box.adjusted(-3, 0, 3, 0), theme().page);
            painter.drawText(box, Qt::AlignCenter, text);
        }
    });
    KernelPlot::restyle();
}

void KernelPlot::restyle(double fontPt)
{
    Plot::restyle(fontPt);
    m_line->setPen(QPen(armStyle(m_arm).color, 1.6));
    m_reference->setPen(QPen(theme().secondary, 1, Qt::DashLine));
    yAxis->grid()->setZeroLinePen(QPen(theme().dark ? QColor("#5A636C") : QColor("#B8BFC6"), 1));
}

void KernelPlot::setKernel(const std::vector<std::int64_t>& delta, const std::vector<double>& c, std::int64_t context, int arm)
{
    const bool moved = m_delta.empty() || delta.empty() || delta.back() != m_delta.back();
    m_delta = delta;
    m_c = c;
    m_context = context;
    m_arm = arm;
    restyle();
    QVector<QCPGraphData> data;
    for (std::size_t i = 0; i < delta.size(); ++i)
        data.append(QCPGraphData(static_cast<double>(delta[i]), c[i]));
    m_line->data()->set(data, true);
    if (moved || !m_userZoomed)
        fit();
    requestReplot();
}

void KernelPlot::setReference(const QString& name, const std::vector<std::int64_t>& delta, const std::vector<double>& c)
{
    m_referenceName = name;
    QVector<QCPGraphData> data;
    for (std::size_t i = 0; i < delta.size(); ++i)
        data.append(QCPGraphData(static_cast<double>(delta[i]), c[i]));
    m_reference->data()->set(data, true);
    requestReplot();
}

void KernelPlot::fit()
{
    const double last = m_delta.empty() ? 1 : static_cast<double>(m_delta.back());
    xAxis->setRange(-0.015 * last, last * 1.015);
    double low = -1.05;
    double high = 1.05;
    for (const double c : m_c)
        if (std::isfinite(c)) {
            low = std::min(low, c * 1.05);
            high = std::max(high, c * 1.05);
        }
    yAxis->setRange(low, high);
}

QString KernelPlot::readout(const QPointF& position)
{
    if (m_delta.empty())
        return {};
    const double x = xAxis->pixelToCoord(position.x());
    const auto it = std::lower_bound(m_delta.begin(), m_delta.end(), static_cast<std::int64_t>(std::llround(x)));
    const std::size_t i = std::min(static_cast<std::size_t>(it - m_delta.begin()), m_delta.size() - 1);
    QString text = tr("Δ = %1<br>K(Δ)/M = <b>%2</b>").arg(m_delta[i]).arg(formatValue(m_c[i], 5));
    if (!m_reference->data()->isEmpty()) {
        const auto near = m_reference->data()->findBegin(static_cast<double>(m_delta[i]), false);
        if (near != m_reference->data()->constEnd())
            text += QStringLiteral("<br>%1: %2").arg(m_referenceName.toHtmlEscaped(), formatValue(near->value, 5));
    }
    return text;
}

QString KernelPlot::csv() const
{
    QString text = QStringLiteral("delta_tokens,mean_cosine\n");
    for (std::size_t i = 0; i < m_delta.size(); ++i)
        text += QString::number(m_delta[i]) + ',' + QString::number(m_c[i], 'g', 17) + '\n';
    return text;
}

}  // namespace holo::widgets
