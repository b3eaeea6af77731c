#pragma once

#include <QToolButton>

#include "widgets/common/icons.h"

namespace holo::widgets {

// A button that is an icon alone; its tooltip is its name for those who do not see it.
inline QToolButton* iconButton(const QString& name, const QString& tip, const char* objectName = "")
{
    auto* button = new QToolButton;
    button->setIcon(icon(name));
    button->setAutoRaise(true);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setObjectName(objectName);
    return button;
}

}  // namespace holo::widgets
