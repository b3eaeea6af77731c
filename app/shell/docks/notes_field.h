#pragma once

#include <QPlainTextEdit>
#include <QTimer>

namespace holo::shell {

// What a person has to say about a run, kept as notes.md in its folder; written a moment after the last key.
class NotesField : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit NotesField(QWidget* parent = nullptr);
    ~NotesField() override;
    void setRunFolder(const QString& folder);  // empty: none

Q_SIGNALS:
    void failed(const QString& sentence);

private:
    void save();

    QString m_folder;
    QTimer m_timer;
    bool m_loading = false;
};

}  // namespace holo::shell
