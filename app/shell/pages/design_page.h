#pragma once

#include "app/shell/page.h"

class QStackedWidget;

namespace holo::shell {

// The experiment: arms, their ladders and heads, the forms of model, data, training and evaluation, and the plan of runs.
class DesignPage : public Page {
    Q_OBJECT
public:
    explicit DesignPage(Context& context, QWidget* parent = nullptr);
};

}  // namespace holo::shell
