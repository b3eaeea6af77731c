#pragma once

#include <QStringList>

namespace holo::bridge {

// Deleting a run moves its folder to <project>/.trash, where it keeps everything; nothing is erased. Each returns an empty text, or one
// sentence that says why not.
QString discardRun(const QString& project, const QString& run);
QString restoreRun(const QString& project, const QString& run);
QStringList discardedRuns(const QString& project);

}  // namespace holo::bridge
