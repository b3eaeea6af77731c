#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace holo::shell {

// All actions of the window by typing a part of their names.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(const QList<QAction*>& actions, QWidget* parent = nullptr);
    QLineEdit* input() const { return m_input; }

private:
    void filter(const QString& text);
    void run();
    bool eventFilter(QObject* object, QEvent* event) override;

    QList<QAction*> m_actions;
    QLineEdit* m_input;
    QListWidget* m_list;
};

}  // namespace holo::shell
