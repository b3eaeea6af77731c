#pragma once

#include <QTimer>

#include "app/shell/page.h"

class QComboBox;
class QLineEdit;
class QListView;
class QPlainTextEdit;
class QSortFilterProxyModel;
class QStackedWidget;

namespace holo::shell {

// What the window did, and what the selected run's worker wrote.
class LogPage : public Page {
    Q_OBJECT
public:
    explicit LogPage(Context& context, QWidget* parent = nullptr);
    void showWindowLog();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void readWorkerLog();

    QComboBox* m_source;
    QLineEdit* m_filter;
    QStackedWidget* m_stack;
    QListView* m_list;
    QSortFilterProxyModel* m_proxy;
    QPlainTextEdit* m_worker;
    QTimer m_timer;
    QString m_shownRun;
    qint64 m_offset = 0;
};

}  // namespace holo::shell
