#pragma once

#include <QAction>

namespace holo::widgets {

// The tooltip of an action: its words and its keys.
inline void tellShortcut(QAction* action)
{
    QString words = action->text();
    words.remove('&');
    if (words.endsWith(QStringLiteral("…")))
        words.chop(1);
    action->setToolTip(QStringLiteral("%1  (%2)").arg(words, action->shortcut().toString(QKeySequence::NativeText)));
}

}  // namespace holo::widgets
