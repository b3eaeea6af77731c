#include "app/shell/pages/weights_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/error.h"
#include "core/run/checkpoint_header.h"
#include "widgets/common/format.h"
#include "widgets/models/table_model.h"

namespace holo::shell {

using namespace widgets;

WeightsPanel::WeightsPanel(QWidget* parent)
    : QWidget(parent)
    , m_work(this)
    , m_table(new TableModel(this))
    , m_view(new QTableView)
    , m_summary(new QLabel)
{
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_table);
    proxy->setSortRole(TableModel::kSortRole);
    m_view->setModel(proxy);
    m_view->setObjectName("weightTable");
    m_view->setAccessibleName(tr("distance of the weights, tensor by tensor"));
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(0, Qt::AscendingOrder);
    m_view->verticalHeader()->hide();
    m_view->setShowGrid(false);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_summary->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->addWidget(m_summary);
    layout->addWidget(m_view, 1);
    setCheckpoints({}, {});
}

WeightsPanel::~WeightsPanel()
{
    if (m_goOn)
        *m_goOn = false;
}

void WeightsPanel::setCheckpoints(const QString& a, const QString& b)
{
    if (a == m_a && b == m_b && !m_a.isEmpty())
        return;
    m_a = a;
    m_b = b;
    if (m_goOn)
        *m_goOn = false;
    m_work.cancel();
    m_table->setTable({}, {});
    m_stale = !a.isEmpty() && !b.isEmpty();
    m_summary->setText(tr("How far each tensor of B lies from the one of the same name in A. Both wells need a checkpoint."));
    if (m_stale && isVisible())
        start();
}

void WeightsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        start();
}

void WeightsPanel::start()
{
    m_stale = false;
    m_summary->setText(tr("Reading the weights…"));
    m_goOn = std::make_shared<std::atomic<bool>>(true);
    m_work.start(
        [a = m_a.toStdString(), b = m_b.toStdString(), goOn = m_goOn] {
            Answer answer;
            try {
                const auto fileOf = [](const std::string& path) { return run::modelFileOf(path).value_or(path); };
                answer.distances = interop::weightDistances(fileOf(a), fileOf(b), [goOn] { return goOn->load(); });
            } catch (const std::exception& error) {
                answer.problem = QString::fromUtf8(error.what());
            }
            return answer;
        },
        [this](const Answer& answer) { show(answer); });
}

void WeightsPanel::show(const Answer& answer)
{
    if (!answer.problem.isEmpty()) {
        m_summary->setText(answer.problem);
        return;
    }
    const auto& d = answer.distances;
    std::vector<std::vector<TableCell>> rows;
    for (const auto& t : d.tensors) {
        QStringList shape;
        for (const auto size : t.shape)
            shape << QString::number(size);
        rows.push_back({{QString::fromStdString(t.name)}, {shape.join(QStringLiteral(" × "))}, numberCell(100 * t.relative), numberCell(t.cosine, 5), numberCell(t.greatest), numberCell(t.normA), numberCell(t.normB),
            {QString::fromStdString(t.note)}});
    }
    m_table->setTable({{tr("tensor")}, {tr("shape")}, {tr("‖A−B‖ / ‖A‖ (%)"), tr("Frobenius norms in float64")}, {tr("cosine"), tr("⟨A, B⟩ / (‖A‖ ‖B‖): 1 is the same direction, 0 is unrelated")},
                          {tr("max |A−B|")}, {tr("‖A‖")}, {tr("‖B‖")}, {tr("note")}},
        std::move(rows));
    m_view->resizeColumnsToContents();
    m_summary->setText(d.compared == 0 ? tr("A and B share no tensor of the same name and shape.")
                                       : tr("All %n shared tensor(s) together: ‖A−B‖ / ‖A‖ = %1 %, cosine %2. Two runs from different initial weights come out unrelated; two arms of one seed share theirs.", nullptr, static_cast<int>(d.compared))
                                             .arg(formatValue(100 * d.relative), formatValue(d.cosine)));
}

}  // namespace holo::shell
