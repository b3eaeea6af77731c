#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace holo::widgets {

// What a page shows before there is anything to show: one line, one button that makes it happen.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(const QString& text, const QString& action = {}, QWidget* parent = nullptr);
    void setText(const QString& text);
    void setWaiting(const QString& text);  // stands in place of both until it is empty
    QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void activated();

private:
    QLabel* m_label;
    QLabel* m_waiting;
    QPushButton* m_button;
};

}  // namespace holo::widgets
