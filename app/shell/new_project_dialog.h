#pragma once

#include <QDialog>

class QComboBox;
class QLineEdit;

namespace holo::shell {

// Template and folder of a new project.
class NewProjectDialog : public QDialog {
    Q_OBJECT
public:
    explicit NewProjectDialog(QWidget* parent = nullptr);
    void setFolder(const QString& folder);
    // Writes project.json and returns the folder. Throws Error: usage if there is a project already, resource if it cannot be written.
    QString create() const;

private:
    QComboBox* m_template;
    QLineEdit* m_folder;
};

}  // namespace holo::shell
