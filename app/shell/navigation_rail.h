#pragma once

#include <QWidget>
#include <vector>

class QButtonGroup;
class QToolButton;

namespace holo::shell {

// Icon and word of each page, one below the other; Ctrl+1 … Ctrl+8.
class NavigationRail : public QWidget {
    Q_OBJECT
public:
    explicit NavigationRail(QWidget* parent = nullptr);
    void addPage(const QString& icon, const QString& word, const QString& tip);
    void setCurrent(int page);

Q_SIGNALS:
    void chosen(int page);

private:
    QButtonGroup* m_group;
};

}  // namespace holo::shell
