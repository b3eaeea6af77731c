#pragma once

#include <QWidget>

#include "app/shell/page.h"

class QLabel;
class QToolButton;
class QTreeWidget;

namespace holo::shell {

// The queue: what runs, how far it is, what waits; reorder, remove, pause.
class QueuePanel : public QWidget {
    Q_OBJECT
public:
    explicit QueuePanel(Context& context, QWidget* parent = nullptr);
    QString summary() const;  // one line

Q_SIGNALS:
    void failed(const QString& sentence);
    void summaryChanged();

private:
    void rebuild();
    void updateProgress();

    Context& m_context;
    QTreeWidget* m_list;
    QLabel* m_summary;
    QToolButton* m_pause;
};

}  // namespace holo::shell
