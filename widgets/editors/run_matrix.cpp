#include "widgets/editors/run_matrix.h"

#include <QHeaderView>

#include "widgets/common/arm_style.h"
#include "widgets/common/icons.h"
#include "widgets/common/state_style.h"

namespace holo::widgets {

RunMatrix::RunMatrix(QWidget* parent)
    : QTableWidget(parent)
{
    setObjectName("runMatrix");
    setAccessibleName(tr("runs to queue: arms by seeds"));
    setShowGrid(false);
    setSelectionMode(QAbstractItemView::NoSelection);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setDefaultSectionSize(44);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);  // above the boxes
    verticalHeader()->setDefaultSectionSize(26);
    verticalHeader()->setSectionsClickable(true);
    connect(this, &QTableWidget::itemChanged, this, &RunMatrix::chosenChanged);
    const auto toggle = [this](const std::vector<QTableWidgetItem*>& items) {
        bool all = true;
        for (auto* item : items)
            all = all && (!(item->flags() & Qt::ItemIsEnabled) || item->checkState() == Qt::Checked);
        for (auto* item : items)
            if (item->flags() & Qt::ItemIsEnabled)
                item->setCheckState(all ? Qt::Unchecked : Qt::Checked);
    };
    connect(verticalHeader(), &QHeaderView::sectionClicked, this, [this, toggle](int row) {
        std::vector<QTableWidgetItem*> items;
        for (int column = 0; column < columnCount(); ++column)
            items.push_back(item(row, column));
        toggle(items);
    });
    connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this, toggle](int column) {
        std::vector<QTableWidgetItem*> items;
        for (int row = 0; row < rowCount(); ++row)
            items.push_back(item(row, column));
        toggle(items);
    });
}

void RunMatrix::setPlan(const QStringList& arms, const std::vector<qint64>& seeds)
{
    if (arms == m_arms && seeds == m_seeds)
        return;
    const QSignalBlocker blocker(this);
    m_arms = arms;
    m_seeds = seeds;
    setRowCount(static_cast<int>(arms.size()));
    setColumnCount(static_cast<int>(seeds.size()));
    horizontalHeader()->setDefaultSectionSize(seeds.size() > 5 ? 32 : 44);
    for (int column = 0; column < columnCount(); ++column)
        setHorizontalHeaderItem(column, new QTableWidgetItem(QString::number(seeds[static_cast<std::size_t>(column)])));
    for (int row = 0; row < rowCount(); ++row) {
        auto* header = new QTableWidgetItem(arms[row]);
        const ArmStyle style = armStyle(row);
        header->setIcon(swatch(style.color, style.outline));
        header->setToolTip(tr("Click: all seeds of %1").arg(arms[row]));
        setVerticalHeaderItem(row, header);
        for (int column = 0; column < columnCount(); ++column) {
            auto* cell = new QTableWidgetItem;
            cell->setFlags(Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
            cell->setCheckState(Qt::Checked);
            setItem(row, column, cell);
        }
    }
    Q_EMIT chosenChanged();
}

void RunMatrix::setState(const QString& arm, qint64 seed, const QString& state)
{
    const int row = static_cast<int>(m_arms.indexOf(arm));
    const auto at = std::find(m_seeds.begin(), m_seeds.end(), seed);
    if (row < 0 || at == m_seeds.end())
        return;
    auto* cell = item(row, static_cast<int>(at - m_seeds.begin()));
    if (cell->data(Qt::UserRole).toString() == state)
        return;
    const QSignalBlocker blocker(this);
    cell->setData(Qt::UserRole, state);
    const bool offered = state.isEmpty() || state == "interrupted" || state == "failed" || state == "waiting";
    const StateStyle style = stateStyle(state == "queued" ? QStringLiteral("waiting") : state);
    cell->setFlags(offered ? Qt::ItemIsEnabled | Qt::ItemIsUserCheckable : Qt::NoItemFlags);
    cell->setCheckState(offered && (state.isEmpty() || state == "interrupted") ? Qt::Checked : Qt::Unchecked);
    const bool isPlanned = state != "not planned";
    cell->setText(state.isEmpty() ? QString() : isPlanned ? style.sign : QStringLiteral("–"));
    cell->setForeground(style.color);
    cell->setToolTip(tr("%1, seed %2: %3").arg(arm).arg(seed).arg(state.isEmpty() ? tr("not there yet") : state == "queued" ? tr("queued") : isPlanned ? style.word : tr("not a seed of this arm")));
    if (!offered)
        cell->setData(Qt::CheckStateRole, QVariant());
    Q_EMIT chosenChanged();
}

std::vector<RunMatrix::Pair> RunMatrix::chosen() const
{
    std::vector<Pair> pairs;
    for (int row = 0; row < rowCount(); ++row)
        for (int column = 0; column < columnCount(); ++column)
            if (const auto* cell = item(row, column); cell && (cell->flags() & Qt::ItemIsEnabled) && cell->checkState() == Qt::Checked)
                pairs.emplace_back(m_arms[row], m_seeds[static_cast<std::size_t>(column)]);
    return pairs;
}

}  // namespace holo::widgets
