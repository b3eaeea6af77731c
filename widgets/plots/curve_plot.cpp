#include "widgets/plots/curve_plot.h"

#include <QMenu>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/painted_layer.h"

namespace holo::widgets {

namespace {

constexpr int kFrameMilliseconds = 66;
constexpr double kTextureRise = 3;  // pixels up and down a column

double widthOf(const CurveStyle& style, bool top) { return top ? std::max(1.6, style.width * 1.6) : style.width; }

QColor withAlpha(QColor color, double alpha)
{
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

}  // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : Plot(parent)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kFrameMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible())  // what nobody sees costs the training nothing
            refresh();
    });
    // The visible range decides which points are worth drawing.
    const auto rangeChanged = [this] {
        if (!m_drawing)
            markDirty();
    };
    connect(xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, rangeChanged);
    connect(yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, rangeChanged);
    new PaintedLayer(axisRect(), "marks", [this](QCPPainter& painter, const QRect& rect) {
        painter.setAntialiasing(false);
        for (const auto& [value, label] : m_references) {
            const double y = yAxis->coordToPixel(toAxisY(value));
            if (!(y >= rect.top() && y <= rect.bottom()))
                continue;
            painter.setPen(QPen(theme().secondary, 1, Qt::DashLine));
            painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
            painter.setPen(theme().secondary);
            painter.setFont(xAxis->tickLabelFont());
            painter.drawText(QRectF(rect.left() + 6, y - 18, rect.width() - 12, 16), Qt::AlignRight | Qt::AlignBottom, label);
        }
        std::size_t masked = 0;
        for (const auto& [id, item] : m_curves) {
            masked += item.raw.maskedCount(m_logY);
            painter.setPen(QPen(armStyle(item.style.arm).color, 1));
            for (const double x : item.raw.maskedX(m_logY)) {
                const double at = xAxis->coordToPixel(toAxisX(x));
                if (at >= rect.left() && at <= rect.right())
                    painter.drawLine(QPointF(at, rect.bottom() - 7), QPointF(at, rect.bottom()));
            }
        }
        const auto count = static_cast<int>(masked);
        QStringList notes;
        QStringList shortNotes;
        if (masked > 0) {
            notes << (m_logY ? tr("%n value(s) not positive or not finite", nullptr, count) : tr("%n value(s) not finite", nullptr, count));
            shortNotes << tr("%n not shown", nullptr, count);
        }
        if (m_thinned) {
            notes << tr("thinned to least and greatest value a pixel");
            shortNotes << tr("min–max");
        }
        painter.setPen(theme().secondary);
        painter.setFont(xAxis->tickLabelFont());
        const QString text = notes.join(QStringLiteral(" · "));
        painter.drawText(rect.adjusted(8, 4, -8, -10), Qt::AlignRight | Qt::AlignBottom, painter.fontMetrics().horizontalAdvance(text) < rect.width() - 16 ? text : shortNotes.join(QStringLiteral(" · ")));
    });
    updateTickers();
}

double CurvePlot::toAxisX(double x) const { return m_logX ? (x > 0 ? std::log10(x) : std::numeric_limits<double>::quiet_NaN()) : x; }
double CurvePlot::toAxisY(double y) const { return m_logY ? (y > 0 ? std::log10(y) : std::numeric_limits<double>::quiet_NaN()) : y; }

void CurvePlot::setAxisTitles(const QString& x, const QString& y)
{
    xAxis->setLabel(x);
    yAxis->setLabel(y);
    if (m_valueName.isEmpty())
        m_valueName = y;
    requestReplot();
}

void CurvePlot::updateTickers()
{
    const auto set = [](QCPAxis* axis, bool log, int pixels) {
        if (log) {
            axis->setTicker(QSharedPointer<LogTicker>::create());
        } else {
            auto ticker = QSharedPointer<LinearTicker>::create();
            ticker->setTickCount(std::clamp(pixels / 90, 2, 6));
            axis->setTicker(ticker);
        }
        axis->setNumberFormat("gb");
        axis->setNumberPrecision(5);
    };
    set(xAxis, m_logX, width());
    set(yAxis, m_logY, 2 * height());
}

void CurvePlot::resizeEvent(QResizeEvent* event)
{
    Plot::resizeEvent(event);
    updateTickers();
}

void CurvePlot::setLogX(bool on)
{
    if (on == m_logX)
        return;
    m_logX = on;
    m_userZoomed = false;
    updateTickers();
    markDirty();
}

void CurvePlot::setLogY(bool on)
{
    if (on == m_logY)
        return;
    m_logY = on;
    m_userZoomed = false;
    updateTickers();
    markDirty();
}

void CurvePlot::setSmoothing(double weight)
{
    m_smoothing = std::clamp(weight, 0.0, 0.999);
    for (auto& [id, item] : m_curves) {
        rebuildSmooth(item);
        styleItem(id, item);
    }
    markDirty();
}

void CurvePlot::addPoint(Item& item, double x, double y)
{
    if (item.raw.size() > 0 && x < item.raw.x(item.raw.size() - 1))
        return;  // a curve runs to the right; a resumed run comes as a new curve
    item.raw.append(x, y);
    if (m_smoothing <= 0)
        return;
    if (std::isfinite(y)) {
        item.average = m_smoothing * item.average + (1 - m_smoothing) * y;
        item.share *= m_smoothing;
        y = item.average / (1 - item.share);
    }
    item.smooth.append(x, y);
}

void CurvePlot::rebuildSmooth(Item& item)
{
    item.smooth.clear();
    item.average = 0;
    item.share = 1;
    if (m_smoothing <= 0)
        return;
    model::MinMaxPyramid raw;
    std::swap(raw, item.raw);
    for (std::size_t i = 0; i < raw.size(); ++i)
        addPoint(item, raw.x(i), raw.y(i));
}

void CurvePlot::setCurve(const QString& id, const CurveStyle& style)
{
    Item& item = m_curves[id];
    item.style = style;
    if (!item.line) {
        item.shadow = addGraph();
        item.line = addGraph();
        item.line->setAdaptiveSampling(true);
        item.shadow->setAdaptiveSampling(true);
        item.line->removeFromLegend();
        item.shadow->removeFromLegend();
    }
    styleItem(id, item);
    markDirty();
}

void CurvePlot::styleItem(const QString& id, Item& item)
{
    const ArmStyle arm = armStyle(item.style.arm);
    const bool top = id == m_highlighted;
    const double alpha = item.style.dimmed ? 0.3 : top ? 1.0 : m_highlighted.isEmpty() ? item.style.alpha : item.style.alpha * 0.55;
    item.line->setPen(QPen(withAlpha(arm.color, alpha), widthOf(item.style, top), item.style.dimmed ? Qt::DotLine : arm.dash));
    item.shadow->setPen(QPen(withAlpha(arm.color, alpha * 0.28), 1));
    item.shadow->setVisible(m_smoothing > 0);
    item.line->setAntialiased(true);
}

void CurvePlot::append(const QString& id, const std::vector<double>& x, const std::vector<double>& y)
{
    const auto it = m_curves.find(id);
    if (it == m_curves.end())
        return;
    for (std::size_t i = 0; i < x.size(); ++i)
        addPoint(it->second, x[i], y[i]);
    markDirty();
}

void CurvePlot::replaceData(const QString& id, const model::Curve& curve)
{
    const auto it = m_curves.find(id);
    if (it == m_curves.end())
        return;
    Item& item = it->second;
    item.raw.clear();
    item.smooth.clear();
    item.average = 0;
    item.share = 1;
    for (std::size_t i = 0; i < curve.size(); ++i)
        addPoint(item, curve.x[i], curve.y[i]);
    markDirty();
}

void CurvePlot::removeCurve(const QString& id)
{
    const auto it = m_curves.find(id);
    if (it == m_curves.end())
        return;
    removeGraph(it->second.line);
    removeGraph(it->second.shadow);
    m_curves.erase(it);
    markDirty();
}

void CurvePlot::clearCurves()
{
    clearGraphs();
    m_curves.clear();
    m_bands.clear();
    markDirty();
}

void CurvePlot::setBand(const QString& id, const model::Band& band, const CurveStyle& style)
{
    BandItem& item = m_bands[id];
    item.band = band;
    item.style = style;
    if (!item.low) {
        item.low = addGraph();
        item.high = addGraph();
        item.mean = addGraph();
        item.high->setChannelFillGraph(item.low);
        for (auto* graph : {item.low, item.high, item.mean}) {
            graph->removeFromLegend();
            graph->setAdaptiveSampling(true);
        }
    }
    styleBand(item);
    markDirty();
}

void CurvePlot::styleBand(BandItem& item)
{
    const ArmStyle arm = armStyle(item.style.arm);
    item.low->setPen(Qt::NoPen);
    item.high->setPen(Qt::NoPen);
    item.high->setBrush(withAlpha(arm.color, 0.15));
    item.mean->setPen(QPen(withAlpha(arm.color, m_highlighted.isEmpty() ? 1.0 : 0.6), item.style.width, arm.dash));
}

void CurvePlot::setHighlighted(const QString& id)
{
    if (id == m_highlighted)
        return;
    m_highlighted = m_curves.contains(id) ? id : QString();
    restyle();
    markDirty();
}

void CurvePlot::setReferences(const std::vector<std::pair<double, QString>>& horizontal)
{
    m_references = horizontal;
    markDirty();
}

void CurvePlot::restyle(double fontPt)
{
    Plot::restyle(fontPt);
    for (auto& [id, item] : m_curves)
        styleItem(id, item);
    for (auto& [id, item] : m_bands)
        styleBand(item);
}

void CurvePlot::markDirty()
{
    m_dirty = true;
    if (!m_timer.isActive())
        m_timer.start();
}

void CurvePlot::drawItem(Item& item)
{
    const auto highlighted = m_curves.find(m_highlighted);
    const bool top = highlighted != m_curves.end() && &highlighted->second == &item;
    const int columns = std::max(axisRect()->width(), 100);
    const double lo = m_logX ? std::pow(10.0, xAxis->range().lower) : xAxis->range().lower;
    const double hi = m_logX ? std::pow(10.0, xAxis->range().upper) : xAxis->range().upper;
    const auto fill = [&](QCPGraph* graph, const model::MinMaxPyramid& pyramid, double width) {
        const auto view = pyramid.view(lo, hi, columns, m_logY);
        m_thinned = m_thinned || view.thinned;
        QVector<QCPGraphData> data;
        data.reserve(static_cast<int>(view.curve.size()));
        for (std::size_t i = 0; i < view.curve.size(); ++i) {
            const double x = toAxisX(view.curve.x[i]);
            if (std::isfinite(x))
                data.append(QCPGraphData(x, toAxisY(view.curve.y[i])));
        }
        // A curve that jitters over many pixels in every column is texture: it is drawn in thin hard lines, which look the
        // same and spare the smoothing of their edges.
        const double scale = axisRect()->height() / std::max(yAxis->range().size(), 1e-300);
        double ink = 0;  // pixels up and down
        for (int i = 1; i < data.size(); ++i)
            if (const double rise = std::abs(data[i].value - data[i - 1].value) * scale; std::isfinite(rise))
                ink += rise;
        const bool texture = view.thinned && ink > kTextureRise * columns;
        graph->setAntialiased(!texture);
        QPen pen = graph->pen();
        pen.setWidthF(texture ? 1 : width);
        graph->setPen(pen);
        graph->data()->set(data, true);
        graph->setScatterStyle(pyramid.size() == 1 ? QCPScatterStyle(QCPScatterStyle::ssDisc, 6) : QCPScatterStyle());
    };
    fill(item.line, m_smoothing > 0 ? item.smooth : item.raw, widthOf(item.style, top));
    if (m_smoothing > 0)
        fill(item.shadow, item.raw, 1);
    else
        item.shadow->data()->clear();
}

void CurvePlot::drawBand(BandItem& item)
{
    // Thinned evenly: a band is a summary already, its extremes come from the curves that are drawn with it.
    const std::size_t stride = item.band.x.size() / 2000 + 1;
    QVector<QCPGraphData> low;
    QVector<QCPGraphData> high;
    QVector<QCPGraphData> mean;
    for (std::size_t i = 0; i < item.band.x.size(); i += stride) {
        const double x = toAxisX(item.band.x[i]);
        if (!std::isfinite(x))
            continue;
        low.append(QCPGraphData(x, toAxisY(item.band.low[i])));
        high.append(QCPGraphData(x, toAxisY(item.band.high[i])));
        mean.append(QCPGraphData(x, toAxisY(item.band.mean[i])));
    }
    item.low->data()->set(low, true);
    item.high->data()->set(high, true);
    item.mean->data()->set(mean, true);
}

void CurvePlot::fit()
{
    double x0 = INFINITY;
    double x1 = -INFINITY;
    double y0 = INFINITY;
    double y1 = -INFINITY;
    const auto widen = [](double v, double& low, double& high) {
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    };
    for (const auto& [id, item] : m_curves) {
        const std::size_t n = item.raw.size();
        if (n == 0)
            continue;
        std::size_t first = 0;
        while (m_logX && first + 1 < n && item.raw.x(first) <= 0)
            ++first;
        widen(toAxisX(item.raw.x(first)), x0, x1);
        widen(toAxisX(item.raw.x(n - 1)), x0, x1);
        double low = 0;
        double high = 0;
        if (item.raw.range(m_logY, low, high)) {
            widen(toAxisY(low), y0, y1);
            widen(toAxisY(high), y0, y1);
        }
    }
    for (const auto& [id, item] : m_bands)
        for (std::size_t i = 0; i < item.band.x.size(); ++i) {
            widen(toAxisX(item.band.x[i]), x0, x1);
            widen(toAxisY(item.band.low[i]), y0, y1);
            widen(toAxisY(item.band.high[i]), y0, y1);
        }
    const bool anyPoint = std::any_of(m_curves.begin(), m_curves.end(), [](const auto& c) { return c.second.raw.size() > 0; });
    if (anyPoint && !(y0 <= y1))
        setMessage(m_logY ? tr("No finite positive value to show") : tr("No finite value to show"));
    else
        setMessage(anyPoint || m_curves.empty() ? QString() : tr("No values yet"));
    const auto range = [](double low, double high, double margin) {
        if (!(low <= high))
            return QCPRange(0, 1);
        // Halves first: the difference of the largest doubles overflows.
        const double half = high / 2 - low / 2;
        const double pad = half > 0 ? 2 * half * margin : std::max(std::abs(low) * 0.05, 0.5);
        const double most = 1e250;
        return QCPRange(std::max(low - pad, -most), std::min(high + pad, most));
    };
    m_drawing = true;
    xAxis->setRange(range(x0, x1, 0.015));
    yAxis->setRange(range(y0, y1, 0.06));
    m_drawing = false;
}

void CurvePlot::refresh()
{
    m_timer.stop();
    if (!m_dirty)
        return;
    m_dirty = false;
    m_thinned = false;
    if (!m_userZoomed)
        fit();
    m_drawing = true;
    for (auto& [id, item] : m_curves)
        drawItem(item);
    for (auto& [id, item] : m_bands)
        drawBand(item);
    m_drawing = false;
    requestReplot();
}

std::size_t CurvePlot::maskedCount() const
{
    std::size_t count = 0;
    for (const auto& [id, item] : m_curves)
        count += item.raw.maskedCount(m_logY);
    return count;
}

QString CurvePlot::readout(const QPointF& position)
{
    const double axisX = xAxis->pixelToCoord(position.x());
    const double x = m_logX ? std::pow(10.0, axisX) : axisX;
    struct Line {
        double y;
        QString text;
    };
    std::vector<Line> lines;
    double shownX = x;
    double best = INFINITY;
    for (const auto& [id, item] : m_curves) {
        if (!item.style.inReadout || item.raw.size() == 0)
            continue;
        const std::size_t i = item.raw.indexNear(x);
        if (x > item.raw.x(item.raw.size() - 1) * 1.02 + 1e-12 && x > item.raw.x(item.raw.size() - 1) + xAxis->range().size() * 0.02)
            continue;
        if (std::abs(item.raw.x(i) - x) < best) {
            best = std::abs(item.raw.x(i) - x);
            shownX = item.raw.x(i);
        }
        const QString color = armStyle(item.style.arm).color.name();
        lines.push_back({item.raw.y(i), QStringLiteral("<tr><td><span style='color:%1'>■</span> %2&nbsp;&nbsp;</td><td align='right'>%3</td></tr>")
                                            .arg(color, item.style.label.toHtmlEscaped(), formatValue(item.raw.y(i), 5))});
    }
    if (lines.empty())
        return {};
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.y > b.y; });
    const std::size_t most = 14;
    QString text = QStringLiteral("<table cellspacing='0'><tr><td>%1&nbsp;&nbsp;</td><td align='right'><b>%2</b></td></tr>")
                       .arg(xAxis->label().toHtmlEscaped(), formatValue(shownX, 6));
    for (std::size_t i = 0; i < std::min(lines.size(), most); ++i)
        text += lines[i].text;
    if (lines.size() > most)
        text += QStringLiteral("<tr><td colspan='2'>%1</td></tr>").arg(tr("and %1 more").arg(lines.size() - most));
    return text + "</table>";
}

QString CurvePlot::nearestCurve(const QPointF& position) const
{
    QString nearest;
    double best = 12;  // pixels
    for (const auto& [id, item] : m_curves) {
        const double distance = item.line->selectTest(position, false);
        if (distance >= 0 && distance < best) {
            best = distance;
            nearest = id;
        }
    }
    return nearest;
}

void CurvePlot::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->pos();
    const bool before = m_userZoomed;
    Plot::mousePressEvent(event);
    m_userZoomed = before;
}

void CurvePlot::mouseReleaseEvent(QMouseEvent* event)
{
    Plot::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if ((event->pos() - m_pressed).manhattanLength() < 4) {
        const QString id = nearestCurve(event->position());
        if (!id.isEmpty())
            Q_EMIT curveClicked(id);
    } else {
        m_userZoomed = true;
    }
}

void CurvePlot::showEvent(QShowEvent* event)
{
    Plot::showEvent(event);
    refresh();
}

void CurvePlot::extendMenu(QMenu& menu)
{
    const auto toggle = [&](const QString& text, bool on, auto set) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(on);
        connect(action, &QAction::toggled, this, set);
    };
    toggle(tr("Logarithmic x"), m_logX, [this](bool on) { setLogX(on); });
    toggle(tr("Logarithmic y"), m_logY, [this](bool on) { setLogY(on); });
}

QString CurvePlot::csv() const
{
    const auto quoted = [](QString text) { return '"' + text.replace('"', "\"\"") + '"'; };
    const auto plain = [](double v) { return std::isnan(v) ? QStringLiteral("nan") : std::isinf(v) ? (v > 0 ? QStringLiteral("inf") : QStringLiteral("-inf")) : QString::number(v, 'g', 17); };
    QString text = QStringLiteral("curve,%1,%2\n").arg(quoted(xAxis->label()), quoted(m_valueName));
    for (const auto& [id, item] : m_curves)
        for (std::size_t i = 0; i < item.raw.size(); ++i)
            text += quoted(item.style.label) + ',' + plain(item.raw.x(i)) + ',' + plain(item.raw.y(i)) + '\n';
    return text;
}

}  // namespace holo::widgets
