#include "app/shell/trials_dialog.h"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "core/base/error.h"
#include "widgets/common/format.h"
#include "widgets/common/state_style.h"
#include "widgets/models/table_model.h"

namespace holo::shell {

using widgets::integerCell;
using widgets::numberCell;

TrialsDialog::TrialsDialog(const QString& arm, const std::vector<Source>& sources, std::int64_t length, double depth, QWidget* parent)
    : QDialog(parent)
    , m_model(new widgets::TableModel(this))
    , m_table(new QTableView)
    , m_prompt(new QPlainTextEdit)
{
    setWindowTitle(tr("Trials · %1 · length %2 · depth %3 %").arg(arm).arg(length).arg(widgets::formatValue(100 * depth, 4)));
    resize(900, 560);
    QStringList problems;
    int right = 0;
    std::vector<std::vector<widgets::TableCell>> rows;
    for (const Source& source : sources) {
        try {
            const QString file = source.runFolder + "/evals/" + source.eval + "/trials.jsonl";
            for (auto& trial : model::readTrials(file.toStdString())) {
                if (trial.length != length || std::abs(trial.depth - depth) > 1e-9)
                    continue;
                right += trial.exact;
                const auto style = widgets::stateStyle(trial.exact ? "done" : "failed");
                rows.push_back({integerCell(source.seed), integerCell(trial.trial), {style.sign + ' ' + (trial.exact ? tr("right") : tr("wrong")), trial.exact ? 1 : 0, false, {}, style.color, {}},
                    {QString::fromStdString(trial.key)}, integerCell(trial.distance), integerCell(trial.needleIndex), numberCell(trial.nll, 3), std::isfinite(trial.rank) ? integerCell(std::llround(trial.rank)) : numberCell(trial.rank, 3),
                    {QString::fromStdString(trial.promptHash).left(12)}});
                m_entries.push_back({source, std::move(trial)});
            }
        } catch (const Error& error) {
            problems << QString::fromUtf8(error.what());
        }
    }
    m_model->setTable({{tr("seed")}, {tr("trial")}, {tr("answer")}, {tr("key")}, {tr("distance (tokens)")}, {tr("needle at token")}, {tr("nats")}, {tr("rank"), tr("Rank of the right token among all")},
                          {tr("prompt")}},
        std::move(rows));
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_model);
    proxy->setSortRole(widgets::TableModel::kSortRole);
    m_table->setModel(proxy);
    m_table->setObjectName("trials");
    m_table->setAccessibleName(tr("trials"));
    m_prompt->setAccessibleName(tr("prompt"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(2, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_prompt->setReadOnly(true);
    auto* head = new QLabel(problems.isEmpty() ? tr("%1 of %2 right").arg(right).arg(m_entries.size()) : problems.join('\n'));
    head->setWordWrap(true);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(m_table);
    splitter->addWidget(m_prompt);
    splitter->setSizes({380, 140});
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(head);
    layout->addWidget(splitter, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this, proxy](const QModelIndex& current) { showTrial(proxy->mapToSource(current).row()); });
    m_table->resizeColumnsToContents();
    m_table->selectRow(0);
}

void TrialsDialog::showTrial(int row)
{
    if (row < 0 || row >= static_cast<int>(m_entries.size()))
        return;
    const Entry& entry = m_entries[static_cast<std::size_t>(row)];
    if (entry.trial.prompt.empty()) {
        m_prompt->setPlainText(tr("The prompt was not kept; it is a pure function of project, length, depth and trial. This makes it again:\n\n%1")
                                   .arg(bridge::shellCommand({"eval", entry.source.runFolder, "--protocol", "needle", "--lengths", QString::number(entry.trial.length), "--depths",
                                       QString::number(entry.trial.depth), "--trials", QString::number(entry.trial.trial + 1), "--dump-prompts", "--out", "prompts"})));
        return;
    }
    QStringList words;
    for (std::size_t i = 0; i < entry.trial.prompt.size(); ++i)
        words << (static_cast<std::int64_t>(i) == entry.trial.needleIndex ? QStringLiteral("⟦%1⟧").arg(entry.trial.prompt[i]) : QString::number(entry.trial.prompt[i]));
    m_prompt->setPlainText(tr("%1 tokens, the needle in brackets:\n\n%2").arg(entry.trial.prompt.size()).arg(words.join(' ')));
}

}  // namespace holo::shell
