#pragma once

#include <QColor>
#include <QString>

namespace holo::widgets {

// State of a run: colour, sign and word together, so that none of them carries the meaning alone.
struct StateStyle {
    QColor color;
    QString sign;
    QString word;
};
StateStyle stateStyle(const QString& state);

}  // namespace holo::widgets
