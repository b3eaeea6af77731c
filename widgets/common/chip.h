#pragma once

#include <QToolButton>

namespace holo::widgets {

// A toggle with a coloured square: an arm in the filter bar and in legends.
class Chip : public QToolButton {
    Q_OBJECT
public:
    Chip(const QString& text, int armIndex, QWidget* parent = nullptr);
    void setArmIndex(int armIndex);

protected:
    void changeEvent(QEvent* event) override;

private:
    void updateIcon();
    int m_armIndex;
};

}  // namespace holo::widgets
