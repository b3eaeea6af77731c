#pragma once

#include <QDialog>

namespace holo::shell {

// A text to read, copy and save.
class TextDialog : public QDialog {
    Q_OBJECT
public:
    TextDialog(const QString& title, const QString& text, const QString& fileName, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);
    void noted(const QString& sentence);
};

}  // namespace holo::shell
