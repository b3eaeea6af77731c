#pragma once

#include <QWidget>

#include "app/shell/page.h"

class QLabel;
class QTreeWidget;

namespace holo::shell {

class NotesField;

// Explains what is selected: the facts of a run, what it says of itself, its command, and what can be done with it.
class Inspector : public QWidget {
    Q_OBJECT
public:
    explicit Inspector(Context& context, QWidget* parent = nullptr);

Q_SIGNALS:
    void failed(const QString& sentence);
    void noted(const QString& sentence);
    void pageWanted(const QString& page);

private:
    void update();

    Context& m_context;
    QLabel* m_title;
    QLabel* m_state;
    QLabel* m_scheme;
    QLabel* m_message;
    QTreeWidget* m_facts;
    QWidget* m_actions;
    NotesField* m_notes;
    QString m_actionsOf;  // what the buttons were made for
};

}  // namespace holo::shell
