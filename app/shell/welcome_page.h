#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace holo::shell {

// First start: what it is in one sentence, three buttons, and what was open before.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setRecent(const QStringList& folders);

Q_SIGNALS:
    void sampleWanted();
    void newWanted();
    void openWanted();
    void textWanted();
    void recentWanted(const QString& folder);

private:
    QVBoxLayout* m_recent;
    QWidget* m_recentBox;
};

}  // namespace holo::shell
