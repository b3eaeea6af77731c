#pragma once

#include <QFrame>

class QLabel;

namespace holo::shell {

// The one sentence above the page; a newer one takes its place.
class ErrorBar : public QFrame {
    Q_OBJECT
public:
    explicit ErrorBar(QWidget* parent = nullptr);
    void show(const QString& sentence);
    QString sentence() const;

Q_SIGNALS:
    void logWanted();

private:
    QLabel* m_text;
};

}  // namespace holo::shell
