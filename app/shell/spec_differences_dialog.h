#pragma once

#include <QDialog>
#include <QStringList>

namespace holo::shell {

// Settings in which the chosen runs differ, one column a run; what all share is left out. A key that one lacks is "not there", which is
// not the same as an equal value.
class SpecDifferencesDialog : public QDialog {
    Q_OBJECT
public:
    SpecDifferencesDialog(const QStringList& runFolders, QWidget* parent = nullptr);
};

}  // namespace holo::shell
