#include "widgets/models/run_delegate.h"

#include <QPainter>
#include <QPainterPath>
#include <cmath>

#include "widgets/common/arm_style.h"
#include "widgets/common/theme.h"
#include "widgets/models/run_tree_model.h"

namespace holo::widgets {

namespace {

void paintSpark(QPainter* painter, const QRectF& rect, const QVector<float>& points, const QColor& color)
{
    if (points.size() < 2)
        return;
    QPainterPath path;
    bool pen = false;
    for (int i = 0; i < points.size(); ++i) {
        if (!std::isfinite(points[i])) {
            pen = false;
            continue;
        }
        const QPointF at(rect.left() + rect.width() * i / (points.size() - 1.0), rect.bottom() - rect.height() * points[i]);
        if (pen)
            path.lineTo(at);
        else
            path.moveTo(at);
        pen = true;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.2));
    painter->drawPath(path);
    painter->restore();
}

}  // namespace

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + 10));
    if (index.column() == RunTreeModel::Curve)
        size.setWidth(96);
    return size;
}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyleOptionViewItem item = option;
    if (index.data(RunTreeModel::IsArmRole).toBool())
        item.font.setWeight(QFont::DemiBold);
    const QString delta = index.data(RunTreeModel::DeltaRole).toString();
    if (!delta.isEmpty()) {
        // The difference stands left of the number, in the same line.
        QStyledItemDelegate::paint(painter, item, index);
        painter->save();
        QFont font = option.font;
        font.setPointSizeF(font.pointSizeF() * 0.85);
        painter->setFont(font);
        painter->setPen(option.state & QStyle::State_Selected ? option.palette.color(QPalette::HighlightedText) : theme().secondary);
        const int used = QFontMetrics(item.font).horizontalAdvance(index.data().toString()) + 14;
        painter->drawText(option.rect.adjusted(4, 0, -used, 0), Qt::AlignRight | Qt::AlignVCenter, delta);
        painter->restore();
        return;
    }
    QStyledItemDelegate::paint(painter, item, index);
    const QColor arm = option.state & QStyle::State_Selected ? option.palette.color(QPalette::HighlightedText) : armStyle(index.data(RunTreeModel::ArmIndexRole).toInt()).color;
    if (index.column() == RunTreeModel::Curve) {
        paintSpark(painter, QRectF(option.rect).adjusted(6, 4, -6, -4), index.data(RunTreeModel::SparkRole).value<QVector<float>>(), arm);
    } else if (index.column() == RunTreeModel::Step) {
        const double progress = index.data(RunTreeModel::ProgressRole).toDouble();
        const QString state = index.data(RunTreeModel::StateRole).toString();
        if (std::isfinite(progress) && progress > 0 && progress < 1 && (state == "running" || state == "paused")) {
            const QRectF bar(option.rect.left() + 6, option.rect.bottom() - 3, option.rect.width() - 12, 2);
            painter->fillRect(bar, theme().grid);
            painter->fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * progress, 2)), theme().accent);
        }
    }
}

}  // namespace holo::widgets
