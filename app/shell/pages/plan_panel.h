#pragma once

#include <QWidget>

#include "app/shell/page.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace holo::widgets {
class RunMatrix;
}

namespace holo::shell {

// What will be run: arms × seeds, cost of a run, the exact command, and the button that queues it.
class PlanPanel : public QWidget {
    Q_OBJECT
public:
    explicit PlanPanel(Context& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);
    void noted(const QString& sentence);
    void pageWanted(const QString& page);

private:
    void update();
    void updateStates();
    void updateButton();
    void queueChosen();
    QString costText() const;

    Context& m_context;
    widgets::RunMatrix* m_matrix;
    QLabel* m_cost;
    QLabel* m_problems;
    QLineEdit* m_command;
    QPushButton* m_queue;
};

}  // namespace holo::shell
