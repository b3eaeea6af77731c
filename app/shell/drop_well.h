#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace holo::shell {

// A place to drop a run folder or a checkpoint on, or to choose one.
class DropWell : public QFrame {
    Q_OBJECT
public:
    DropWell(const QString& letter, QWidget* parent = nullptr);
    void setContent(const QString& title, const QString& tip);

Q_SIGNALS:
    void dropped(const QStringList& paths);
    void remoteDropped(const QString& address);
    void cleared();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void setHot(bool hot);

    QLabel* m_text;
    QToolButton* m_clear;
    QString m_letter;
};

}  // namespace holo::shell
