#pragma once

#include <QWidget>

#include "app/bridge/background.h"
#include "app/shell/page.h"

class QLabel;
class QPushButton;

namespace holo::widgets {
class NumberEdit;
}

namespace holo::shell {

// How many seeds an arm a difference of spreads needs, and what they cost at the speed of this project.
class PowerPlanner : public QWidget {
    Q_OBJECT
public:
    explicit PowerPlanner(Context& context, QWidget* parent = nullptr);

private:
    void plan();

    Context& m_context;
    bridge::Background m_work;
    widgets::NumberEdit* m_ratio;
    widgets::NumberEdit* m_alpha;
    widgets::NumberEdit* m_wanted;
    QPushButton* m_plan;
    QLabel* m_planned;
};

}  // namespace holo::shell
