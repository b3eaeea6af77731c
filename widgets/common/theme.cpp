#include "widgets/common/theme.h"

#include <QApplication>
#include <QFont>
#include <QFontDatabase>
#include <QStyle>
#include <QStyleFactory>
#include <QWidget>
#include <utility>

namespace holo::widgets {

namespace {

Theme& current()
{
    static Theme value = lightTheme();
    return value;
}

const QPalette& systemPalette()
{
    static const QPalette palette = QApplication::palette();  // as it was before the first theme
    return palette;
}

QString styleSheet(const Theme& t)
{
    return QStringLiteral(
        "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
        "QMainWindow::separator { background: %4; width: 5px; height: 5px; }"
        "QDockWidget { font-weight: 600; }"
        "QDockWidget::title { background: %4; padding: 6px 8px; }"
        "QHeaderView, QTableCornerButton::section { background: %2; border: none; }"
        "QHeaderView::section { background: %2; color: %5; border: none; border-bottom: 1px solid %3; padding: 4px 6px; }"
        "QTreeView, QTableView, QListView { background: %2; alternate-background-color: %4; border: none; }"
        "QScrollArea { border: none; background: transparent; }"
        "QScrollArea > QWidget > QWidget { background: transparent; }"
        "QTabBar::tab { padding: 5px 12px; color: %5; border-bottom: 2px solid transparent; }"
        "QTabBar::tab:selected { color: %1; border-bottom: 2px solid %6; }"
        "QTabWidget::pane { border: none; border-top: 1px solid %3; }"
        "QSplitter::handle { background: %4; }"
        "QScrollBar { background: transparent; margin: 0; }"
        "QScrollBar:vertical { width: 11px; }"
        "QScrollBar:horizontal { height: 11px; }"
        "QScrollBar::handle { background: %7; border-radius: 3px; margin: 2px; }"
        "QScrollBar::handle:vertical { min-height: 28px; }"
        "QScrollBar::handle:horizontal { min-width: 28px; }"
        "QScrollBar::handle:hover { background: %5; }"
        "QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }"
        "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }"
        "*[role=\"plain\"] { background: transparent; }"
        "*[role=\"secondary\"] { color: %5; }"
        "*[role=\"problem\"], *[problem=\"true\"] { color: %8; }"
        "#errorBar { background: %9; border-left: 3px solid %8; }"
        "*[role=\"title\"] { font-size: 15pt; font-weight: 600; }"
        "*[role=\"heading\"] { font-weight: 600; }"
        "*[role=\"page\"] { background: %2; }")
        .arg(t.text.name(), t.page.name(), t.grid.name(), t.window.name(), t.secondary.name(), t.accent.name(), t.dark ? QStringLiteral("#4A525B") : QStringLiteral("#C3C9CF"), t.problem.name(), t.dark ? QStringLiteral("#4A3527") : QStringLiteral("#FBE9DC"));
}

}  // namespace

Theme lightTheme() { return {false, "#F6F7F8", "#FFFFFF", "#1B1F23", "#5B6670", "#E3E6E9", "#0B62A8", "#B84F00"}; }
Theme darkTheme() { return {true, "#1E2125", "#25292E", "#E6E8EA", "#A3ACB5", "#3A4047", "#5AA9E6", "#F0803C"}; }

QPalette paletteOf(const Theme& t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.dark ? QColor("#1A1D20") : t.page);  // fields stand out of a dark page by being darker
    p.setColor(QPalette::AlternateBase, t.window);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.secondary);
    p.setColor(QPalette::Button, t.dark ? QColor("#2E333A") : QColor("#FBFBFC"));
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.problem);
    p.setColor(QPalette::ToolTipBase, t.page);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.dark ? QColor("#10151A") : QColor("#FFFFFF"));
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.dark ? QColor("#3A4047") : QColor("#FFFFFF"));
    p.setColor(QPalette::Midlight, t.grid);
    p.setColor(QPalette::Mid, t.dark ? QColor("#4A525B") : QColor("#C3C9CF"));
    p.setColor(QPalette::Dark, t.dark ? QColor("#15181B") : QColor("#A9B1B9"));
    p.setColor(QPalette::Shadow, t.dark ? QColor("#0C0E10") : QColor("#8A929A"));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, t.dark ? QColor("#6C757E") : QColor("#9AA3AB"));
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.grid);
    return p;
}

const Theme& theme() { return current(); }

ThemeOverride::ThemeOverride(const Theme& theme)
    : m_before(std::exchange(current(), theme))
{
}

ThemeOverride::~ThemeOverride() { current() = m_before; }

void applyTheme(ThemeMode mode)
{
    const bool systemIsDark = systemPalette().color(QPalette::Window).lightness() < 128;
    current() = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemIsDark) ? darkTheme() : lightTheme();
    if (QApplication::style()->objectName().compare("fusion", Qt::CaseInsensitive) != 0)
        QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(paletteOf(current()));
    qApp->setStyleSheet(styleSheet(current()));
}

void markProblem(QWidget* widget, bool wrong)
{
    if (widget->property("problem").toBool() == wrong)
        return;
    widget->setProperty("problem", wrong);
    // The sheet is matched anew only on request.
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

void ensureFont()
{
    if (QGuiApplication::platformName() != "offscreen" && !QFontDatabase::families().isEmpty())
        return;
    // Offscreen there is often no font configuration at all; with one, the same font on every machine keeps pictures comparable.
    const int id = QFontDatabase::addApplicationFont(":/fonts/DejaVuSans.ttf");
    const QStringList families = QFontDatabase::applicationFontFamilies(id);
    if (!families.isEmpty())
        QApplication::setFont(QFont(families.first(), 9));
}

QFont tabularFont()
{
    // Qt 6.4 cannot ask for the tnum feature; the figures of the usual interface fonts are of equal width by default.
    QFont font = QApplication::font();
    font.setStyleHint(QFont::SansSerif);
    return font;
}

}  // namespace holo::widgets
