#pragma once

#include <QSet>
#include <QTimer>

#include "app/bridge/engine_call.h"
#include "app/shell/page.h"

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTreeView;

namespace holo::widgets {
class RunFilter;
class RunTreeModel;
}

namespace holo::shell {

// Table of all runs, arm by arm, with filter, typed sort, sparklines and what can be done with a run.
class RunsPage : public Page {
    Q_OBJECT
public:
    explicit RunsPage(Context& context, QWidget* parent = nullptr);

private:
    void reload();
    void updateRows(const QStringList& runs);
    void updateSpark(const QString& run);
    void showMenu(const QPoint& position);
    void applyFilter();
    QStringList selectedRuns() const;
    void exportTable();
    void cloneArm(const QString& arm);
    void deleteRuns(const QStringList& runs);
    void exportRun(const QString& run, const QString& format);

    widgets::RunTreeModel* m_model;
    widgets::RunFilter* m_filterModel;
    QTreeView* m_view;
    QLineEdit* m_filterLine;
    QLabel* m_filterNote;
    QStackedWidget* m_stack;
    bridge::EngineCall m_export;
    QTimer m_sparkTimer;
    QSet<QString> m_staleSparks;
    bool m_sized = false;
};

}  // namespace holo::shell
