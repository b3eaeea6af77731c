#include "app/shell/pages/log_page.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/log_model.h"
#include "widgets/common/icons.h"

namespace holo::shell {

namespace {

constexpr qint64 kMostBytes = 1 << 20;  // of the end of a worker's log

}  // namespace

LogPage::LogPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_source(new QComboBox)
    , m_filter(new QLineEdit)
    , m_stack(new QStackedWidget)
    , m_list(new QListView)
    , m_proxy(new QSortFilterProxyModel(this))
    , m_worker(new QPlainTextEdit)
{
    m_source->setObjectName("logSource");
    m_source->setAccessibleName(tr("whose log"));
    m_source->addItems({tr("this window"), tr("worker of the selected run")});
    m_filter->setObjectName("logFilter");
    m_filter->setAccessibleName(tr("filter of the log"));
    m_filter->setPlaceholderText(tr("filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(widgets::icon("filter"), QLineEdit::LeadingPosition);
    m_proxy->setSourceModel(&context.log);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_list->setModel(m_proxy);
    m_list->setObjectName("logList");
    m_list->setAccessibleName(tr("log of this window"));
    m_worker->setAccessibleName(tr("log of the worker"));
    m_list->setUniformItemSizes(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setFrameShape(QFrame::NoFrame);
    m_worker->setReadOnly(true);
    m_worker->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_worker->setFrameShape(QFrame::NoFrame);
    m_worker->setMaximumBlockCount(20000);
    QFont mono("monospace");
    mono.setStyleHint(QFont::Monospace);
    m_worker->setFont(mono);
    m_stack->addWidget(m_list);
    m_stack->addWidget(m_worker);
    auto* tools = new QHBoxLayout;
    tools->addWidget(m_source);
    tools->addWidget(m_filter, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 4, 12, 8);
    layout->addLayout(tools);
    layout->addWidget(m_stack, 1);
    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_source, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_stack->setCurrentIndex(index);
        m_filter->setEnabled(index == 0);
        m_shownRun.clear();
        readWorkerLog();
    });
    connect(&context.log, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_list->verticalScrollBar()->value() >= m_list->verticalScrollBar()->maximum() - 2)
            m_list->scrollToBottom();
        if (isVisible())
            m_context.log.markSeen();
    });
    m_timer.setInterval(500);
    connect(&m_timer, &QTimer::timeout, this, &LogPage::readWorkerLog);
    connect(&context.filter, &FilterState::selectedRunChanged, this, &LogPage::readWorkerLog);
}

void LogPage::showWindowLog() { m_source->setCurrentIndex(0); }

void LogPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_context.log.markSeen();
    m_list->scrollToBottom();
    m_timer.start();
    readWorkerLog();
}

void LogPage::hideEvent(QHideEvent* event)
{
    Page::hideEvent(event);
    m_timer.stop();
}

void LogPage::readWorkerLog()
{
    if (m_source->currentIndex() != 1 || !isVisible())
        return;
    const QString run = m_context.filter.selectedRun();
    if (run.isEmpty()) {
        m_worker->setPlainText(tr("No run is selected."));
        return;
    }
    QFile file(m_context.study.runFolder(run) + "/worker.log");
    if (!file.open(QIODevice::ReadOnly)) {
        m_worker->setPlainText(tr("%1 has no worker.log: it was started from a terminal.").arg(run));
        m_shownRun.clear();
        return;
    }
    if (run != m_shownRun || file.size() < m_offset) {
        m_shownRun = run;
        m_offset = std::max<qint64>(0, file.size() - kMostBytes);
        m_worker->clear();
    }
    file.seek(m_offset);
    const QByteArray bytes = file.read(kMostBytes);
    m_offset += bytes.size();
    if (bytes.isEmpty())
        return;
    QTextCursor cursor(m_worker->document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(QString::fromUtf8(bytes));
    m_worker->verticalScrollBar()->setValue(m_worker->verticalScrollBar()->maximum());
}

}  // namespace holo::shell
