#pragma once

#include <QDialog>

class QLabel;
class QPlainTextEdit;

namespace holo::widgets {
class ProjectDocument;
}

namespace holo::shell {

// The project as its file has it, to read and to change by hand; what is wrong with it is said before it is taken.
class JsonDialog : public QDialog {
    Q_OBJECT
public:
    explicit JsonDialog(widgets::ProjectDocument& document, QWidget* parent = nullptr);
    bool apply();  // one step that can be undone; false with the reason shown

private:
    widgets::ProjectDocument& m_document;
    QPlainTextEdit* m_text;
    QLabel* m_problem;
};

}  // namespace holo::shell
