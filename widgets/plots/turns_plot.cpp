#include "widgets/plots/turns_plot.h"

#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

TurnsPlot::TurnsPlot(QWidget* parent)
    : Plot(parent)
{
    setTitle(tr("turns"));
    setInteractions({});
    xAxis->setLabel(tr("plane"));
    yAxis->setLabel(tr("turns in N"));
    yAxis->setTicker(QSharedPointer<LogTicker>::create());
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(1);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    ticker->setTickCount(6);
    xAxis->setTicker(ticker);
    xAxis->setSubTicks(false);
    new PaintedLayer(axisRect(), "main", [this](QCPPainter& painter, const QRect& rect) {
        painter.setAntialiasing(false);
        const QColor color = armStyle(m_arm).color;
        for (std::size_t i = 0; i < m_turns.size(); ++i) {
            if (!(m_turns[i] > 0))
                continue;
            const double left = xAxis->coordToPixel(static_cast<double>(i) - 0.35);
            const double right = std::max(left + 1, xAxis->coordToPixel(static_cast<double>(i) + 0.35));
            const double top = yAxis->coordToPixel(std::log10(m_turns[i]));
            painter.fillRect(QRectF(QPointF(left, std::min<double>(top, rect.bottom() - 1)), QPointF(right, rect.bottom())), m_turns[i] < 1 - 1e-9 ? theme().secondary : color);
        }
    });
}

void TurnsPlot::setTurns(const std::vector<double>& turns, int arm)
{
    m_turns = turns;
    m_arm = arm;
    fit();
    requestReplot();
}

void TurnsPlot::fit()
{
    double low = -0.3;
    double high = 0.3;
    for (const double t : m_turns)
        if (t > 0) {
            low = std::min(low, std::log10(t));
            high = std::max(high, std::log10(t));
        }
    xAxis->setRange(-0.7, std::max<double>(1, static_cast<double>(m_turns.size())) - 0.3);
    yAxis->setRange(low - 0.1 * (high - low), high + 0.08 * (high - low));
}

QString TurnsPlot::readout(const QPointF& position)
{
    const auto plane = static_cast<std::ptrdiff_t>(std::llround(xAxis->pixelToCoord(position.x())));
    if (plane < 0 || plane >= static_cast<std::ptrdiff_t>(m_turns.size()))
        return {};
    const double turns = m_turns[static_cast<std::size_t>(plane)];
    return tr("plane %1: <b>%2</b> turns%3").arg(plane).arg(formatValue(turns, 5), turns < 1 - 1e-9 ? tr("<br>never completes one: undertrained") : QString());
}

QString TurnsPlot::csv() const
{
    QString text = QStringLiteral("plane,turns\n");
    for (std::size_t i = 0; i < m_turns.size(); ++i)
        text += QString::number(i) + ',' + QString::number(m_turns[i], 'g', 17) + '\n';
    return text;
}

}  // namespace holo::widgets
