#pragma once

#include <QStyledItemDelegate>

namespace holo::widgets {

// Draws the sparkline, the progress under the step, and the grey difference to the baseline; everything else is the style's.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace holo::widgets
