#include "app/shell/pages/runs_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/run_trash.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/run_dialogs.h"
#include "app/shell/spec_differences_dialog.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/model/run_events.h"
#include "widgets/common/action_tip.h"
#include "widgets/common/empty_state.h"
#include "widgets/common/icons.h"
#include "widgets/editors/project_document.h"
#include "widgets/models/run_delegate.h"
#include "widgets/models/run_filter.h"
#include "widgets/models/run_tree_model.h"

namespace holo::shell {

using widgets::RunTreeModel;

namespace {

constexpr int kSparkPoints = 48;
constexpr std::size_t kMostSparks = 400;

// Loss on a logarithmic scale between its least and greatest value; the greatest of a bucket, so that spikes stay.
QVector<float> sparkOf(const std::vector<model::StepRecord>& steps)
{
    QVector<float> points;
    if (steps.size() < 2)
        return points;
    const std::size_t buckets = std::min<std::size_t>(kSparkPoints, steps.size());
    double low = INFINITY;
    double high = -INFINITY;
    for (std::size_t b = 0; b < buckets; ++b) {
        double greatest = model::kMissing;
        for (std::size_t i = b * steps.size() / buckets; i < (b + 1) * steps.size() / buckets; ++i)
            if (std::isfinite(steps[i].loss) && !(greatest >= steps[i].loss))
                greatest = steps[i].loss;
        points.append(static_cast<float>(greatest));
        if (std::isfinite(greatest)) {
            low = std::min(low, greatest);
            high = std::max(high, greatest);
        }
    }
    for (float& p : points)
        p = high > low ? static_cast<float>((p - low) / (high - low)) : 0.5f;
    return points;
}

}  // namespace

RunsPage::RunsPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_model(new RunTreeModel(this))
    , m_filterModel(new widgets::RunFilter(this))
    , m_view(new QTreeView)
    , m_filterLine(new QLineEdit)
    , m_filterNote(new QLabel)
    , m_stack(new QStackedWidget)
{
    m_filterModel->setSourceModel(m_model);
    m_view->setModel(m_filterModel);
    m_view->setObjectName("runTable");
    m_view->setAccessibleName(tr("runs"));
    m_view->setItemDelegate(new widgets::RunDelegate(m_view));
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(RunTreeModel::Name, Qt::AscendingOrder);
    m_view->setAlternatingRowColors(false);
    m_view->setUniformRowHeights(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionsMovable(true);
    m_filterLine->setObjectName("runFilter");
    m_filterLine->setAccessibleName(tr("filter of the runs"));
    m_filterLine->setPlaceholderText(tr("filter: words, state:done, arm:mob, needle<50, loss>=3.2, step>100"));
    m_filterLine->setClearButtonEnabled(true);
    m_filterLine->addAction(widgets::icon("filter"), QLineEdit::LeadingPosition);
    m_filterNote->setProperty("role", "problem");
    auto* line = new QHBoxLayout;
    line->addWidget(m_filterLine, 1);
    line->addWidget(m_filterNote);
    auto* tablePage = new QWidget;
    auto* tableLayout = new QVBoxLayout(tablePage);
    tableLayout->setContentsMargins(12, 4, 12, 8);
    tableLayout->addLayout(line);
    tableLayout->addWidget(m_view, 1);
    auto* empty = new widgets::EmptyState(tr("Here will be every run of this project: its state, loss, retrieval and worst seed."), tr("Plan runs"));
    m_stack->addWidget(empty);
    m_stack->addWidget(tablePage);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(empty, &widgets::EmptyState::activated, this, [this] { Q_EMIT pageWanted("design"); });
    connect(m_filterLine, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filterNote->setText(m_filterModel->setExpression(text));
        m_view->expandAll();
    });
    connect(m_view, &QTreeView::customContextMenuRequested, this, &RunsPage::showMenu);
    auto* remove = new QAction(tr("Delete the selected runs"), this);
    remove->setShortcut(QKeySequence::Delete);
    widgets::tellShortcut(remove);
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_view->addAction(remove);
    connect(remove, &QAction::triggered, this, [this] { deleteRuns(selectedRuns()); });
    connect(&m_export, &bridge::EngineCall::failed, this, &Page::failed);
    connect(&m_export, &bridge::EngineCall::finished, this, [this] { Q_EMIT noted(tr("Exported")); });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        const QString run = current.siblingAtColumn(0).data(RunTreeModel::RunIdRole).toString();
        if (!run.isEmpty())
            m_context.filter.selectRun(run);
    });
    connect(m_view, &QTreeView::activated, this, [this](const QModelIndex& at) {
        if (!at.siblingAtColumn(0).data(RunTreeModel::RunIdRole).toString().isEmpty())
            Q_EMIT pageWanted("train");
    });
    connect(&m_context.filter, &FilterState::selectedRunChanged, this, [this](const QString& run) {
        const QModelIndex at = m_filterModel->mapFromSource(m_model->indexOfRun(run));
        if (at.isValid() && m_view->currentIndex().siblingAtColumn(0) != at)
            m_view->setCurrentIndex(at);
    });
    connect(&m_context.filter, &FilterState::changed, this, &RunsPage::applyFilter);
    connect(&m_context.filter, &FilterState::choicesChanged, this, [this] {
        m_model->setArmOrder(m_context.filter.arms());
        m_view->expandAll();
    });
    auto& study = m_context.study;
    connect(&study, &bridge::Study::opened, this, &RunsPage::reload);
    connect(&study, &bridge::Study::closed, this, &RunsPage::reload);
    connect(&study, &bridge::Study::rowsChanged, this, &RunsPage::updateRows);
    connect(&study, &bridge::Study::runsRemoved, this, [this](const QStringList& runs) {
        for (const QString& run : runs)
            m_model->removeRun(run);
        m_stack->setCurrentIndex(m_model->rowCount() > 0);
    });
    connect(&study, &bridge::Study::stepsLoaded, this, &RunsPage::updateSpark);
    connect(&study, &bridge::Study::stepsAppended, this, [this](const QString& run) { m_staleSparks.insert(run); });
    m_sparkTimer.setInterval(1500);
    connect(&m_sparkTimer, &QTimer::timeout, this, [this] {
        if (!isVisible())
            return;
        for (const QString& run : std::exchange(m_staleSparks, {}))
            updateSpark(run);
    });
    m_sparkTimer.start();
}

void RunsPage::reload()
{
    std::vector<model::RunRow> rows;
    for (const auto& [id, row] : m_context.study.rows())
        rows.push_back(row);
    m_model->setArmOrder(m_context.filter.arms());
    if (!m_context.filter.arms().isEmpty())
        m_model->setBaseline(m_context.filter.arms().first());
    m_model->setRows(rows);
    applyFilter();
    m_view->expandAll();
    m_stack->setCurrentIndex(m_model->rowCount() > 0);
    std::size_t sparks = 0;
    for (const auto& row : rows)
        if (++sparks <= kMostSparks)
            m_context.study.wantSteps(QString::fromStdString(row.id));
    if (!m_sized && !rows.empty()) {
        m_sized = true;
        constexpr std::array<int, RunTreeModel::ColumnCount> kWidths = {176, 92, 92, 72, 104, 104, 140, 84, 156, 60, 52};
        for (int column = 0; column < RunTreeModel::ColumnCount; ++column)
            m_view->setColumnWidth(column, kWidths[static_cast<std::size_t>(column)]);
    }
}

void RunsPage::updateRows(const QStringList& runs)
{
    const bool wasEmpty = m_model->rowCount() == 0;
    for (const QString& run : runs)
        if (const auto* row = m_context.study.row(run)) {
            const bool isNew = !m_model->indexOfRun(run).isValid();
            m_model->updateRow(*row);
            if (isNew) {
                m_context.study.wantSteps(run);
                m_view->expandAll();
            }
        }
    if (wasEmpty)
        reload();
}

void RunsPage::updateSpark(const QString& run)
{
    if (const auto* steps = m_context.study.steps(run))
        m_model->setSpark(run, sparkOf(*steps));
}

void RunsPage::applyFilter()
{
    m_filterModel->setHidden(m_context.filter.hiddenArms(), m_context.filter.hiddenSeeds());
    m_view->expandAll();
}

QStringList RunsPage::selectedRuns() const
{
    QStringList runs;
    for (const QModelIndex& at : m_view->selectionModel()->selectedRows()) {
        const QString run = at.data(RunTreeModel::RunIdRole).toString();
        if (!run.isEmpty())
            runs << run;
    }
    return runs;
}

void RunsPage::showMenu(const QPoint& position)
{
    using bridge::RunController;
    const QModelIndex at = m_view->indexAt(position);
    if (!at.isValid())
        return;
    QMenu menu(this);
    auto& study = m_context.study;
    auto& controller = m_context.controller;
    const QString arm = at.siblingAtColumn(0).data(RunTreeModel::ArmNameRole).toString();
    const QStringList runs = selectedRuns();
    const auto forAll = [this, runs](auto what) {
        for (const QString& run : runs)
            if (const QString problem = what(run); !problem.isEmpty())
                Q_EMIT failed(problem);
    };
    const auto any = [&](bool (*can)(const model::RunRow&)) {
        return std::any_of(runs.begin(), runs.end(), [&](const QString& run) { const auto* row = study.row(run); return row && can(*row); });
    };
    if (!runs.isEmpty()) {
        menu.addAction(tr("Start or resume"), this, [this, runs] {
            std::vector<bridge::Job> jobs;
            for (const QString& run : runs)
                if (const auto* row = m_context.study.row(run); row && RunController::canStart(*row))
                    jobs.push_back({QString::fromStdString(row->arm), row->seed, run, false, 0, 0, {}});
            m_context.queue.add(jobs);
        })->setEnabled(any(&RunController::canStart));
        menu.addAction(tr("Pause"), this, [=, &study, &controller] { forAll([&](const QString& r) { return controller.pause(study.runFolder(r)); }); })->setEnabled(any(&RunController::canPause));
        menu.addAction(tr("Go on"), this, [=, &study, &controller] { forAll([&](const QString& r) { return controller.resume(study.runFolder(r)); }); })->setEnabled(any(&RunController::canResume));
        menu.addAction(tr("Checkpoint now"), this, [=, &study, &controller] { forAll([&](const QString& r) { return controller.checkpointNow(study.runFolder(r)); }); })->setEnabled(any(&RunController::canPause));
        menu.addAction(tr("Evaluate now"), this, [=, &study, &controller] { forAll([&](const QString& r) { return controller.evaluateNow(study.runFolder(r)); }); })->setEnabled(any(&RunController::canPause));
        menu.addAction(tr("Stop after a checkpoint"), this, [=, &study, &controller] { forAll([&](const QString& r) { return controller.stop(study.runFolder(r)); }); })->setEnabled(any(&RunController::canStop));
        menu.addSeparator();
        menu.addAction(tr("Copy command"), this, [this, runs] {
            QStringList lines;
            for (const QString& run : runs)
                if (const auto* row = m_context.study.row(run))
                    lines << bridge::shellCommand(RunController::trainArguments(m_context.study.folder(), QString::fromStdString(row->arm), row->seed));
            QApplication::clipboard()->setText(lines.join('\n'));
        });
        menu.addAction(tr("Settings that differ…"), this, [this, runs] {
            QStringList folders;
            for (const QString& run : runs)
                folders << m_context.study.runFolder(run);
            auto* dialog = new SpecDifferencesDialog(folders, this);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->show();
        })->setEnabled(runs.size() > 1);
        menu.addAction(tr("Compare side by side"), this, [this, runs] {
            QStringList folders;
            for (const QString& run : runs)
                folders << m_context.study.runFolder(run);
            Q_EMIT comparisonWanted(folders);
        })->setEnabled(runs.size() > 1);
        menu.addAction(tr("What it rests on…"), this, [this, runs] { showClaim(m_context, runs, this); });
        const auto* first = study.row(runs.first());
        menu.addAction(tr("Attention of the heads…"), this, [this, run = runs.first()] { showAttention(m_context, run, this); })->setEnabled(runs.size() == 1 && first && first->checkpoints > 0);
        auto* exports = menu.addMenu(tr("Export"));
        exports->setEnabled(runs.size() == 1 && !m_export.isRunning());
        exports->addAction(tr("Model for Hugging Face…"), this, [this, runs] { exportRun(runs.first(), "hf"); });
        exports->addAction(tr("Weights as safetensors…"), this, [this, runs] { exportRun(runs.first(), "safetensors"); });
        exports->addAction(tr("Tables as CSV…"), this, [this, runs] { exportRun(runs.first(), "csv"); });
        exports->addAction(tr("Curves for TensorBoard…"), this, [this, runs] { exportRun(runs.first(), "tensorboard"); });
        menu.addAction(tr("Open folder"), this, [this, runs] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_context.study.runFolder(runs.first()))); });
        menu.addAction(tr("Delete (can be brought back)"), QKeySequence::Delete, this, [this, runs] { deleteRuns(runs); })->setEnabled(!study.isReadOnly() && !any(&RunController::canStop));
        menu.addSeparator();
    }
    menu.addAction(tr("Clone arm “%1” in Design").arg(arm), this, [this, arm] { cloneArm(arm); });
    menu.addAction(tr("Compare with “%1”").arg(arm), this, [this, arm] { m_model->setBaseline(arm); })->setEnabled(arm != m_model->baseline());
    menu.addAction(tr("Export table as CSV…"), this, &RunsPage::exportTable);
    menu.exec(m_view->viewport()->mapToGlobal(position));
}

void RunsPage::deleteRuns(const QStringList& runs)
{
    for (const QString& run : runs) {
        if (m_context.queue.contains(run)) {
            Q_EMIT failed(tr("%1: it stands in the queue; take it out first.").arg(run));
            return;
        }
        if (const QString problem = bridge::discardRun(m_context.study.folder(), run); !problem.isEmpty()) {
            Q_EMIT failed(problem);
            return;
        }
    }
    Q_EMIT noted(tr("Deleted %n run(s); Edit ▸ Bring back deleted runs undoes it", nullptr, static_cast<int>(runs.size())));
}

void RunsPage::cloneArm(const QString& arm)
{
    config::Project next = m_context.document.project();
    const auto at = std::find_if(next.arms.begin(), next.arms.end(), [&](const config::Arm& a) { return a.name == arm.toStdString(); });
    if (at == next.arms.end()) {
        Q_EMIT failed(tr("%1: the project has no arm of this name any more.").arg(arm));
        return;
    }
    config::Arm copy = *at;
    const auto taken = [&](const std::string& name) { return std::any_of(next.arms.begin(), next.arms.end(), [&](const config::Arm& a) { return a.name == name; }); };
    for (int n = 2; taken(copy.name); ++n)
        copy.name = at->name + "-" + std::to_string(n);
    const auto position = at - next.arms.begin() + 1;
    next.arms.insert(next.arms.begin() + position, std::move(copy));
    m_context.document.change(tr("clone arm"), std::move(next));
    m_context.document.setCurrentArm(static_cast<int>(position));
    Q_EMIT pageWanted("design");
}

void RunsPage::exportRun(const QString& run, const QString& format)
{
    const QString parent = QFileDialog::getExistingDirectory(this, tr("Export into a folder"), m_context.study.folder());
    if (parent.isEmpty())
        return;
    const QString folder = m_context.study.runFolder(run);
    const QString target = parent + '/' + run + '-' + format;
    if (format == "hf" || format == "safetensors")
        m_export.start({"export", folder, target, "--format", format}, m_context.study.folder());
    else
        m_export.start({"export", folder, "--format", format, "--out", target}, m_context.study.folder());
}

void RunsPage::exportTable()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Export table"), "runs.csv", "CSV (*.csv)");
    if (file.isEmpty())
        return;
    const auto number = [](double v) { return std::isnan(v) ? QStringLiteral("nan") : std::isinf(v) ? (v > 0 ? QStringLiteral("inf") : QStringLiteral("-inf")) : QString::number(v, 'g', 17); };
    QString text = QStringLiteral("run,arm,seed,state,step,tokens,loss,val_loss,needle,worst_cell,perplexity,tokens_per_second,active_seconds\n");
    for (const auto& [id, r] : m_context.study.rows())
        text += QStringLiteral("\"%1\",\"%2\",%3,%4,%5,%6,").arg(id, QString::fromStdString(r.arm).replace('"', "\"\"")).arg(r.seed).arg(QString::fromStdString(r.state)).arg(r.step).arg(r.tokens)
            + QStringList{number(r.loss), number(r.valLoss), number(r.needle), number(r.worst), number(r.perplexity), number(r.tokensPerSecond), number(r.activeSeconds)}.join(',') + '\n';
    try {
        writeFileAtomic(file.toStdString(), text.toStdString());
        Q_EMIT noted(tr("Wrote %1").arg(file));
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

}  // namespace holo::shell
