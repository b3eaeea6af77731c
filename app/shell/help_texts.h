#pragma once

#include <QAction>
#include <QString>

namespace holo::shell {

// What the symbols and numbers of the window mean, with formula and source.
QString formulaHelp();
// Every shortcut among these actions, and what the mouse does in plots.
QString keyboardHelp(const QList<QAction*>& actions);

}  // namespace holo::shell
