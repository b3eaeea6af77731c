#include "widgets/common/state_style.h"

#include <QCoreApplication>

#include "widgets/common/theme.h"

namespace holo::widgets {

StateStyle stateStyle(const QString& state)
{
    const bool dark = theme().dark;
    const auto word = [](const char* text) { return QCoreApplication::translate("State", text); };
    if (state == "running")
        return {dark ? QColor("#5AA9E6") : QColor("#0B62A8"), QStringLiteral("▶"), word("running")};
    if (state == "paused")
        return {dark ? QColor("#E0A94A") : QColor("#A06A00"), QStringLiteral("‖"), word("paused")};
    if (state == "done")
        return {dark ? QColor("#52C48F") : QColor("#1C7C50"), QStringLiteral("✓"), word("done")};
    if (state == "interrupted")
        return {dark ? QColor("#E0A94A") : QColor("#A06A00"), QStringLiteral("↯"), word("interrupted")};
    if (state == "failed")
        return {dark ? QColor("#F2766B") : QColor("#B3261E"), QStringLiteral("✕"), word("failed")};
    return {dark ? QColor("#A3ACB5") : QColor("#5B6670"), QStringLiteral("○"), word("waiting")};
}

}  // namespace holo::widgets
