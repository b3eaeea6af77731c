#include "widgets/plots/scale_bar.h"

#include <QPainter>

#include "widgets/common/theme.h"
#include "widgets/plots/color_map.h"

namespace holo::widgets {

namespace {

constexpr int kTop = 32;  // as far down as the caption of a map reaches
constexpr int kBarWidth = 10;
constexpr int kLongest = 240;

}  // namespace

ScaleBar::ScaleBar(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
    , m_map(ColorMap::accuracyMaps().first())
{
    setAccessibleName(title);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void ScaleBar::setColorMap(const QString& name)
{
    m_map = name;
    update();
}

QSize ScaleBar::sizeHint() const { return {kBarWidth + fontMetrics().horizontalAdvance("100") + fontMetrics().height() + 16, kTop + 120}; }

void ScaleBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const int length = std::min(height() - kTop - 40, kLongest);
    if (length < 40)
        return;
    const QRect bar(2, kTop, kBarWidth, length);
    QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
    for (int i = 0; i <= 16; ++i)
        gradient.setColorAt(i / 16.0, ColorMap::named(m_map).at(i / 16.0));
    painter.fillRect(bar, gradient);
    QFont small = font();
    small.setPointSizeF(9);
    painter.setFont(small);
    painter.setPen(theme().secondary);
    const int step = length < 120 ? 50 : 25;
    const int digits = painter.fontMetrics().horizontalAdvance("100");
    for (int percent = 0; percent <= 100; percent += step) {
        const int y = bar.bottom() - bar.height() * percent / 100;
        painter.drawText(QRect(bar.right() + 6, y - 10, digits + 2, 20), Qt::AlignRight | Qt::AlignVCenter, QString::number(percent));
    }
    painter.translate(bar.right() + digits + 12, bar.center().y());
    painter.rotate(90);
    painter.drawText(QRect(-length / 2, -painter.fontMetrics().height(), length, painter.fontMetrics().height()), Qt::AlignCenter, m_title);
}

}  // namespace holo::widgets
