#pragma once

#include <QColor>
#include <Qt>

namespace holo::widgets {

// How the n-th arm of a project is drawn, everywhere alike: Okabe–Ito colours; beyond eight arms the same colours with another dash and
// marker.
struct ArmStyle {
    QColor color;
    QColor outline;  // valid where the colour alone is too light
    Qt::PenStyle dash = Qt::SolidLine;
    int marker = 0;  // 0 disc, 1 square, 2 diamond, 3 triangle
};
ArmStyle armStyle(int index);

// Text colour with a contrast of at least 4.5 on `background` (WCAG 2.1), black or white.
QColor contrastText(const QColor& background);

}  // namespace holo::widgets
