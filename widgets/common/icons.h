#pragma once

#include <QIcon>
#include <QString>

namespace holo::widgets {

// Icon of the own set, drawn in the palette's text colour at paint time, so that it follows the theme and the scale of the screen.
QIcon icon(const QString& name);

// A filled (or hollow) square in an arm's colour.
QIcon swatch(const QColor& color, const QColor& outline = {}, bool filled = true);

}  // namespace holo::widgets
