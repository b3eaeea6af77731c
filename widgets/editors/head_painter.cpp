#include "widgets/editors/head_painter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/theme.h"

namespace holo::widgets {

namespace {

constexpr int kLabelWidth = 30;
constexpr int kLargest = 24;

}  // namespace

HeadPainter::HeadPainter(QWidget* parent)
    : QWidget(parent)
{
    setObjectName("headPainter");
    setAccessibleName(tr("heads by layer"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setToolTip(tr("Press and drag to give heads the special ladder, or to take it away"));
}

void HeadPainter::setHeads(int layers, int heads, const std::vector<std::set<int>>& special, int arm)
{
    m_layers = layers;
    m_heads = heads;
    m_special = special;
    m_special.resize(static_cast<std::size_t>(layers));
    m_arm = arm;
    updateGeometry();
    update();
}

int HeadPainter::specialHeads() const
{
    int count = 0;
    for (const auto& set : m_special)
        count += static_cast<int>(set.size());
    return count;
}

double HeadPainter::share() const { return m_layers * m_heads > 0 ? static_cast<double>(specialHeads()) / (m_layers * m_heads) : 0; }

QSize HeadPainter::sizeHint() const { return {kLabelWidth + m_heads * 18 + 8, std::min(m_layers, 24) * 18 + 24}; }

QRectF HeadPainter::cellRect(int layer, int head) const
{
    const double side = std::clamp(std::min((width() - kLabelWidth - 4.0) / std::max(m_heads, 1), (height() - 20.0) / std::max(m_layers, 1)), 3.0, double(kLargest));
    return {kLabelWidth + head * side, 16 + layer * side, side, side};
}

bool HeadPainter::cellAt(const QPointF& at, int& layer, int& head) const
{
    const double side = cellRect(0, 0).width();
    layer = static_cast<int>(std::floor((at.y() - 16) / side));
    head = static_cast<int>(std::floor((at.x() - kLabelWidth) / side));
    return layer >= 0 && layer < m_layers && head >= 0 && head < m_heads;
}

void HeadPainter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme();
    const QColor special = armStyle(m_arm).color;
    QFont font = painter.font();
    font.setPointSizeF(font.pointSizeF() * 0.85);
    painter.setFont(font);
    const double side = cellRect(0, 0).width();
    const int stride = std::max(1, static_cast<int>(std::ceil(13 / side)));
    painter.setPen(t.secondary);
    for (int layer = 0; layer < m_layers; layer += stride)
        painter.drawText(QRectF(0, cellRect(layer, 0).top(), kLabelWidth - 6, side), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("L%1").arg(layer));
    const int headStride = std::max(1, static_cast<int>(std::ceil(16 / side)));
    for (int head = 0; head < m_heads; head += headStride)
        painter.drawText(QRectF(cellRect(0, head).left() - 6, 0, side + 12, 14), Qt::AlignCenter, QString::number(head));
    for (int layer = 0; layer < m_layers; ++layer)
        for (int head = 0; head < m_heads; ++head) {
            const QRectF cell = cellRect(layer, head).adjusted(1, 1, -1, -1);
            const bool on = m_special[static_cast<std::size_t>(layer)].contains(head);
            painter.setPen(on ? QPen(special, 1) : QPen(t.dark ? QColor("#5A636C") : QColor("#B8BFC6"), 1));
            painter.setBrush(on ? QBrush(special) : QBrush(Qt::NoBrush));
            painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
        }
    if (hasFocus() && m_layers > 0) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 2));
        painter.drawRoundedRect(cellRect(m_cursorLayer, m_cursorHead), 3, 3);
    }
}

void HeadPainter::brush(const QPointF& at)
{
    int layer = 0;
    int head = 0;
    if (!cellAt(at, layer, head))
        return;
    if (m_paintSpecial)
        m_special[static_cast<std::size_t>(layer)].insert(head);
    else
        m_special[static_cast<std::size_t>(layer)].erase(head);
    update();
}

void HeadPainter::mousePressEvent(QMouseEvent* event)
{
    int layer = 0;
    int head = 0;
    if (event->button() != Qt::LeftButton || !cellAt(event->position(), layer, head))
        return;
    m_painting = true;
    m_paintSpecial = !m_special[static_cast<std::size_t>(layer)].contains(head);
    m_cursorLayer = layer;
    m_cursorHead = head;
    brush(event->position());
}

void HeadPainter::mouseMoveEvent(QMouseEvent* event)
{
    int layer = 0;
    int head = 0;
    if (m_painting)
        brush(event->position());
    else if (cellAt(event->position(), layer, head))
        Q_EMIT hovered(layer, head);
}

void HeadPainter::mouseReleaseEvent(QMouseEvent*)
{
    if (!m_painting)
        return;
    m_painting = false;
    Q_EMIT painted(m_special);
}

void HeadPainter::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left: m_cursorHead = std::max(0, m_cursorHead - 1); break;
    case Qt::Key_Right: m_cursorHead = std::min(m_heads - 1, m_cursorHead + 1); break;
    case Qt::Key_Up: m_cursorLayer = std::max(0, m_cursorLayer - 1); break;
    case Qt::Key_Down: m_cursorLayer = std::min(m_layers - 1, m_cursorLayer + 1); break;
    case Qt::Key_Space: {
        if (m_layers == 0)
            return;
        auto& set = m_special[static_cast<std::size_t>(m_cursorLayer)];
        if (!set.erase(m_cursorHead))
            set.insert(m_cursorHead);
        update();
        Q_EMIT painted(m_special);
        return;
    }
    default: QWidget::keyPressEvent(event); return;
    }
    update();
}

}  // namespace holo::widgets
