#pragma once

#include <QColor>
#include <QPalette>

class QFont;
class QWidget;

namespace holo::widgets {

// Colours of the window. Arms and states have their own tables (arm_style.h, state_style.h).
struct Theme {
    bool dark = false;
    QColor window;
    QColor page;
    QColor text;
    QColor secondary;
    QColor grid;
    QColor accent;
    QColor problem;  // of words that say what is wrong
};

enum class ThemeMode { System, Light, Dark };

Theme lightTheme();
Theme darkTheme();
QPalette paletteOf(const Theme& theme);

// Theme in force, read off the application's palette.
const Theme& theme();

// While it lives, theme() is another one: figures for paper are drawn in the light theme.
class ThemeOverride {
public:
    explicit ThemeOverride(const Theme& theme);
    ~ThemeOverride();
    ThemeOverride(const ThemeOverride&) = delete;
    ThemeOverride& operator=(const ThemeOverride&) = delete;

private:
    Theme m_before;
};

// Fusion style, palette and the few rules that a palette cannot say. May be called again at any time.
void applyTheme(ThemeMode mode);

// Shows a field's content in the colour of problems, or no longer. Labels that tell nothing but problems have the role "problem".
void markProblem(QWidget* widget, bool wrong);

// The bundled font where the platform brings none (offscreen pictures without any text otherwise).
void ensureFont();

// The application font with figures of equal width.
QFont tabularFont();

}  // namespace holo::widgets
