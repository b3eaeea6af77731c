#include "app/shell/docks/inspector.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/study.h"
#include "app/shell/docks/notes_field.h"
#include "app/shell/filter_state.h"
#include "app/shell/run_dialogs.h"
#include "core/base/json.h"
#include "core/config/scheme_json.h"
#include "core/model/run_row.h"
#include "widgets/common/arm_style.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/format.h"
#include "widgets/common/state_style.h"

namespace holo::shell {

using namespace widgets;

namespace {

// The short form; a hybrid is told by its parts.
QString schemeWords(const std::string& text)
{
    try {
        const ladder::Scheme scheme = config::parseScheme(text);
        if (scheme.kind != ladder::Kind::Hybrid)
            return QString::fromStdString(config::shortForm(scheme));
        QStringList parts;
        for (const auto& part : scheme.parts) {
            const QString words = QString::fromStdString(config::shortForm(part.scheme));
            parts << (part.share >= 0 ? Inspector::tr("%1 % %2").arg(100 * part.share).arg(words) : part.heads.empty() && part.layers.empty() ? Inspector::tr("rest %1").arg(words) : Inspector::tr("%1 on chosen heads").arg(words));
        }
        return parts.join(QStringLiteral(", "));
    } catch (const std::exception&) {
        return QString::fromStdString(text);  // shown as it is written
    }
}

}  // namespace

Inspector::Inspector(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_title(new QLabel)
    , m_state(new QLabel)
    , m_scheme(new QLabel)
    , m_message(new QLabel)
    , m_facts(new QTreeWidget)
    , m_actions(new QWidget)
    , m_notes(new NotesField)
{
    m_title->setProperty("role", "heading");
    m_title->setWordWrap(true);
    m_scheme->setWordWrap(true);
    m_scheme->setProperty("role", "secondary");
    m_scheme->setToolTip(tr("positional scheme of the arm as this run has it"));
    m_message->setWordWrap(true);
    m_message->setProperty("role", "secondary");
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setObjectName("facts");
    m_facts->setColumnCount(2);
    m_facts->header()->hide();
    m_facts->setRootIsDecorated(false);
    m_facts->setIndentation(0);
    m_facts->setWordWrap(true);
    m_facts->setFrameShape(QFrame::NoFrame);
    m_facts->setProperty("role", "plain");
    m_facts->setAccessibleName(tr("facts"));
    m_facts->setTextElideMode(Qt::ElideMiddle);
    m_facts->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_facts->setSelectionMode(QAbstractItemView::NoSelection);
    m_facts->setFocusPolicy(Qt::NoFocus);
    new FlowLayout(m_actions, 4);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(m_title);
    layout->addWidget(m_scheme);
    layout->addWidget(m_state);
    layout->addWidget(m_message);
    layout->addWidget(m_actions);
    layout->addWidget(m_facts, 1);
    m_notes->setMaximumHeight(110);
    layout->addWidget(m_notes);
    layout->addStretch();  // takes the room while there are no facts
    connect(m_notes, &NotesField::failed, this, &Inspector::failed);
    connect(&m_context.filter, &FilterState::selectedRunChanged, this, &Inspector::update);
    connect(&m_context.study, &bridge::Study::rowsChanged, this, [this](const QStringList& runs) {
        if (runs.contains(m_context.filter.selectedRun()))
            update();
    });
    connect(&m_context.queue, &bridge::JobQueue::changed, this, &Inspector::update);
    connect(&m_context.study, &bridge::Study::closed, this, &Inspector::update);
    connect(&m_context.study, &bridge::Study::opened, this, &Inspector::update);
    update();
}

void Inspector::update()
{
    using bridge::RunController;
    const QString run = m_context.filter.selectedRun();
    const auto* row = m_context.study.row(run);
    m_facts->clear();
    m_facts->setVisible(row);
    m_notes->setVisible(row);
    m_notes->setRunFolder(row ? m_context.study.runFolder(run) : QString());
    m_notes->setReadOnly(m_context.study.isReadOnly());
    static_cast<QVBoxLayout*>(layout())->setStretch(layout()->count() - 1, row ? 0 : 1);
    m_actions->setVisible(row);
    m_state->setVisible(row);
    m_scheme->setVisible(row);
    if (!row) {
        m_title->setText(tr("Nothing selected"));
        m_message->setText(tr("Choose a run in the table, a curve, or a dot: what it is and what can be done with it stands here."));
        return;
    }
    const StateStyle style = stateStyle(QString::fromStdString(row->state));
    m_title->setText(tr("%1 · seed %2").arg(QString::fromStdString(row->arm)).arg(row->seed));
    m_state->setText(QStringLiteral("<span style='color:%1'>%2 %3</span>").arg(style.color.name(), style.sign, style.word));
    m_scheme->setText(schemeWords(row->scheme));
    m_message->setText(QString::fromStdString(row->message));
    m_message->setVisible(!row->message.empty());
    const auto fact = [this](const QString& name, const QString& value) {
        auto* item = new QTreeWidgetItem({name, value});
        item->setForeground(0, palette().color(QPalette::PlaceholderText));
        item->setToolTip(1, value);
        m_facts->addTopLevelItem(item);
    };
    fact(tr("folder"), run);
    fact(tr("step"), row->totalSteps > 0 ? QStringLiteral("%1 / %2").arg(row->step).arg(row->totalSteps) : QString::number(row->step));
    fact(tr("tokens"), formatCount(static_cast<double>(row->tokens)));
    if (row->attempts > 1)
        fact(tr("attempts"), QString::number(row->attempts));
    fact(tr("loss"), formatValue(row->loss, 5));
    fact(tr("validation loss"), formatValue(row->valLoss, 5));
    const auto percent = [](double share) { return std::isnan(share) ? QStringLiteral("–") : formatPercent(share) + " %"; };
    fact(tr("needle"), percent(row->needle));
    fact(tr("worst cell"), percent(row->worst));
    fact(tr("perplexity"), formatValue(row->perplexity));
    fact(tr("speed"), formatCount(row->tokensPerSecond) + tr(" tok/s"));
    fact(tr("active time"), formatDuration(row->activeSeconds));
    if (row->state == "running" && row->totalSteps > row->step && row->step > 0 && row->activeSeconds > 0)
        fact(tr("remaining"), formatDuration(row->activeSeconds / static_cast<double>(row->step) * static_cast<double>(row->totalSteps - row->step)));
    fact(tr("context"), tr("%1 tokens").arg(row->context));
    fact(tr("checkpoints"), QString::number(row->checkpoints));
    fact(tr("evaluations"), QString::number(row->evals));
    m_facts->resizeColumnToContents(0);

    // A running run is told anew five times a second; its buttons stay as long as they mean the same, or a click would fall between two.
    const QString actions = QStringList{run, QString::number(RunController::canStart(*row)), QString::number(RunController::canPause(*row)), QString::number(RunController::canResume(*row)),
        QString::number(RunController::canStop(*row)), QString::number(row->checkpoints > 0), QString::number(m_context.queue.contains(run))}.join('|');
    if (actions == m_actionsOf)
        return;
    m_actionsOf = actions;
    qDeleteAll(m_actions->findChildren<QPushButton*>(QString(), Qt::FindDirectChildrenOnly));
    const auto action = [this](const QString& text, const QString& tip, auto what) {
        auto* button = new QPushButton(text);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, what);
        m_actions->layout()->addWidget(button);
    };
    const auto tell = [this](const QString& problem, const QString& done) {
        if (problem.isEmpty())
            Q_EMIT noted(done);
        else
            Q_EMIT failed(problem);
    };
    const QString folder = m_context.study.runFolder(run);
    auto& controller = m_context.controller;
    if (RunController::canStart(*row) && !m_context.queue.contains(run))
        action(row->checkpoints > 0 ? tr("Resume") : tr("Start"), tr("Put it at the end of the queue"), [this, arm = QString::fromStdString(row->arm), seed = row->seed, run] {
            m_context.queue.add({{arm, seed, run, false, 0, 0, {}}});
        });
    if (RunController::canPause(*row)) {
        action(tr("Pause"), tr("Stand still between two steps; memory stays in use"), [=, &controller] { tell(controller.pause(folder), tr("Asked to pause")); });
        action(tr("Checkpoint"), tr("Write a checkpoint now"), [=, &controller] { tell(controller.checkpointNow(folder), tr("Asked for a checkpoint")); });
        action(tr("Evaluate"), tr("Evaluate now, then go on"), [=, &controller] { tell(controller.evaluateNow(folder), tr("Asked for an evaluation")); });
    }
    if (RunController::canResume(*row))
        action(tr("Go on"), tr("Leave the pause"), [=, &controller] { tell(controller.resume(folder), tr("Asked to go on")); });
    if (RunController::canStop(*row))
        action(tr("Stop"), tr("Write a checkpoint and end; it can be resumed"), [=, &controller] { tell(controller.stop(folder), tr("Asked to stop after a checkpoint")); });
    action(tr("Copy command"), bridge::shellCommand(RunController::trainArguments(m_context.study.folder(), QString::fromStdString(row->arm), row->seed)), [this, arm = QString::fromStdString(row->arm), seed = row->seed] {
        QApplication::clipboard()->setText(bridge::shellCommand(RunController::trainArguments(m_context.study.folder(), arm, seed)));
        Q_EMIT noted(tr("Command copied"));
    });
    action(tr("Rests on…"), tr("What its numbers rest on: commands, build, data, hashes"), [this, run] { showClaim(m_context, {run}, this); });
    if (row->checkpoints > 0)
        action(tr("Attention…"), tr("What each head attends to, by distance"), [this, run] { showAttention(m_context, run, this); });
    action(tr("Folder"), folder, [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    m_actions->layout()->activate();
    m_actions->setMinimumHeight(m_actions->layout()->heightForWidth(std::max(width() - 24, 160)));
}

}  // namespace holo::shell
