#include "app/shell/docks/queue_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/icon_button.h"
#include "widgets/common/icons.h"
#include "widgets/common/state_style.h"

namespace holo::shell {

using namespace widgets;

QueuePanel::QueuePanel(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_list(new QTreeWidget)
    , m_summary(new QLabel)
    , m_pause(new QToolButton)
{
    m_list->setObjectName("queueList");
    m_list->setColumnCount(5);
    m_list->header()->hide();
    m_list->setRootIsDecorated(false);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAccessibleName(tr("queue"));
    m_pause->setAutoRaise(true);
    m_pause->setObjectName("pauseQueue");
    m_pause->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    auto* up = iconButton("up", tr("Earlier"), "queueUp");
    auto* down = iconButton("down", tr("Later"), "queueDown");
    auto* remove = iconButton("trash", tr("Take out of the queue"), "queueRemove");
    auto* top = new QHBoxLayout;
    top->addWidget(m_pause);
    top->addWidget(m_summary);
    top->addStretch();
    for (auto* b : {up, down, remove})
        top->addWidget(b);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 2, 12, 4);
    layout->setSpacing(2);
    layout->addLayout(top);
    layout->addWidget(m_list, 1);
    auto& queue = m_context.queue;
    connect(m_pause, &QToolButton::clicked, this, [&queue] { queue.setPaused(!queue.isPaused()); });
    connect(up, &QToolButton::clicked, this, [this, &queue] {
        const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
        queue.move(row, row - 1);
        m_list->setCurrentItem(m_list->topLevelItem(std::max(0, row - 1)));
    });
    connect(down, &QToolButton::clicked, this, [this, &queue] {
        const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
        queue.move(row, row + 1);
        m_list->setCurrentItem(m_list->topLevelItem(std::min(m_list->topLevelItemCount() - 1, row + 1)));
    });
    connect(remove, &QToolButton::clicked, this, [this, &queue] { queue.removeWaiting(m_list->indexOfTopLevelItem(m_list->currentItem())); });
    connect(m_list, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        if (item)
            m_context.filter.selectRun(item->data(0, Qt::UserRole).toString());
    });
    connect(&queue, &bridge::JobQueue::changed, this, &QueuePanel::rebuild);
    connect(&queue, &bridge::JobQueue::failed, this, &QueuePanel::failed);
    connect(&m_context.study, &bridge::Study::rowsChanged, this, &QueuePanel::updateProgress);
    rebuild();
}

QString QueuePanel::summary() const
{
    const auto& queue = m_context.queue;
    QString text = tr("%1 running · %2 waiting").arg(queue.running()).arg(queue.waiting());
    if (queue.cameBackPaused())
        text += tr(" · paused, since the window did not end by itself last time");
    else if (queue.isPaused())
        text += tr(" · paused");
    return text;
}

void QueuePanel::rebuild()
{
    const auto& jobs = m_context.queue.jobs();
    const QSignalBlocker blocker(m_list);
    const int current = m_list->indexOfTopLevelItem(m_list->currentItem());
    m_list->clear();
    for (const auto& job : jobs) {
        auto* item = new QTreeWidgetItem;
        const ArmStyle style = armStyle(m_context.filter.armIndex(job.arm));
        const StateStyle state = stateStyle(job.running ? "running" : "waiting");
        item->setData(0, Qt::UserRole, job.run);
        item->setIcon(0, swatch(style.color, style.outline));
        item->setText(0, tr("%1 / s%2").arg(job.arm).arg(job.seed));
        item->setText(1, state.sign + ' ' + state.word);
        item->setForeground(1, state.color);
        m_list->addTopLevelItem(item);
        if (job.running) {
            auto* bar = new QProgressBar;
            bar->setMaximumHeight(14);
            bar->setRange(0, 1000);
            m_list->setItemWidget(item, 2, bar);
        }
    }
    // An empty queue is one line.
    m_list->setVisible(!jobs.empty());
    setMaximumHeight(jobs.empty() ? 34 : QWIDGETSIZE_MAX);
    m_list->setCurrentItem(m_list->topLevelItem(current));
    m_list->setColumnWidth(0, 180);
    m_list->setColumnWidth(1, 110);
    m_list->setColumnWidth(2, 220);
    m_list->setColumnWidth(3, 180);
    m_pause->setIcon(icon(m_context.queue.isPaused() ? "play" : "pause"));
    m_pause->setText(m_context.queue.isPaused() ? tr("Go on") : tr("Pause"));
    m_pause->setToolTip(m_context.queue.isPaused() ? tr("Start waiting runs again") : tr("Start no further run; what runs goes on"));
    updateProgress();
}

void QueuePanel::updateProgress()
{
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        auto* item = m_list->topLevelItem(i);
        const auto* row = m_context.study.row(item->data(0, Qt::UserRole).toString());
        auto* bar = qobject_cast<QProgressBar*>(m_list->itemWidget(item, 2));
        if (!row || !bar)
            continue;
        const StateStyle state = stateStyle(row->state == "paused" ? "paused" : "running");
        item->setText(1, state.sign + ' ' + state.word);
        item->setForeground(1, state.color);
        if (row->totalSteps > 0)
            bar->setValue(static_cast<int>(1000 * row->step / row->totalSteps));
        item->setText(3, tr("step %1 / %2").arg(row->step).arg(row->totalSteps));
        if (row->state == "paused")
            item->setText(4, {});
        else if (row->step > 0 && row->totalSteps > row->step && row->activeSeconds > 0)
            item->setText(4, tr("remaining %1").arg(formatDuration(row->activeSeconds / static_cast<double>(row->step) * static_cast<double>(row->totalSteps - row->step))));
    }
    m_summary->setText(summary());
    Q_EMIT summaryChanged();
}

}  // namespace holo::shell
