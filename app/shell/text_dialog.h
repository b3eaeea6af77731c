#pragma once

#include <QDialog>

namespace holo::shell {

// A text to read, copy and save. What became of that stands at its foot.
class TextDialog : public QDialog {
    Q_OBJECT
public:
    TextDialog(const QString& title, const QString& text, const QString& fileName, QWidget* parent = nullptr);
};

}  // namespace holo::shell
