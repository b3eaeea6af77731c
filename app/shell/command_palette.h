#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace holo::shell {

// All actions of the window by typing a part of their names; once something is typed, arms and runs too.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(const QList<QAction*>& actions, QWidget* parent = nullptr);
    void addPlaces(const QList<QAction*>& places) { m_places = places; }
    QLineEdit* input() const { return m_input; }

private:
    void filter(const QString& text);
    void run();
    bool eventFilter(QObject* object, QEvent* event) override;

    QList<QAction*> m_actions;
    QList<QAction*> m_places;
    QList<QAction*> m_listed;  // row by row
    QLineEdit* m_input;
    QListWidget* m_list;
};

}  // namespace holo::shell
