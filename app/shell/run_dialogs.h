#pragma once

#include "app/shell/page.h"

namespace holo::shell {

// Dialogs about runs, opened from the table and from the inspector. They live until they are closed.
void showClaim(Context& context, const QStringList& runs, QWidget* parent);
void showAttention(Context& context, const QString& run, QWidget* parent);

}  // namespace holo::shell
