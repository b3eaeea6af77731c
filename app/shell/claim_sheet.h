#pragma once

#include <QString>
#include <QStringList>

namespace holo::shell {

// What a number of these runs rests on, as Markdown: results with intervals, the command that makes each again, build, libraries and device,
// data and prompts by their hashes, the checkpoint's hash, and the settings in which the runs differ. Read from the run folders alone; what
// one lacks is said to be missing.
QString claimSheet(const QStringList& runFolders);

}  // namespace holo::shell
