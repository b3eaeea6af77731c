#include "widgets/models/run_tree_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/state_style.h"

namespace holo::widgets {

using model::RunRow;

void RunTreeModel::setArmOrder(const QStringList& arms)
{
    m_order = arms;
    std::vector<RunRow> rows;
    for (const Arm& arm : m_arms)
        rows.insert(rows.end(), arm.runs.begin(), arm.runs.end());
    setRows(rows);
}

void RunTreeModel::setBaseline(const QString& arm)
{
    m_baseline = arm;
    if (!m_arms.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void RunTreeModel::setRows(const std::vector<RunRow>& rows)
{
    beginResetModel();
    std::map<std::string, QVector<float>> sparks;
    for (const Arm& arm : m_arms)
        for (std::size_t i = 0; i < arm.runs.size(); ++i)
            sparks[arm.runs[i].id] = arm.sparks[i];
    m_arms.clear();
    for (const RunRow& row : rows) {
        const QString name = QString::fromStdString(row.arm);
        if (!m_order.contains(name))
            m_order.append(name);
    }
    for (const QString& name : m_order) {
        Arm arm{name, {}, {}};
        for (const RunRow& row : rows)
            if (QString::fromStdString(row.arm) == name)
                arm.runs.push_back(row);
        if (arm.runs.empty())
            continue;
        std::stable_sort(arm.runs.begin(), arm.runs.end(), [](const RunRow& a, const RunRow& b) { return a.seed < b.seed; });
        for (const RunRow& row : arm.runs)
            arm.sparks.push_back(sparks[row.id]);
        m_arms.push_back(std::move(arm));
    }
    endResetModel();
}

int RunTreeModel::findArm(const QString& name) const
{
    for (std::size_t i = 0; i < m_arms.size(); ++i)
        if (m_arms[i].name == name)
            return static_cast<int>(i);
    return -1;
}

int RunTreeModel::ensureArm(const QString& name)
{
    if (const int found = findArm(name); found >= 0)
        return found;
    if (!m_order.contains(name))
        m_order.append(name);
    int at = 0;
    while (at < static_cast<int>(m_arms.size()) && m_order.indexOf(m_arms[static_cast<std::size_t>(at)].name) < m_order.indexOf(name))
        ++at;
    beginInsertRows({}, at, at);
    m_arms.insert(m_arms.begin() + at, Arm{name, {}, {}});
    endInsertRows();
    return at;
}

void RunTreeModel::updateRow(const RunRow& row)
{
    const QModelIndex known = indexOfRun(QString::fromStdString(row.id));
    const QString name = QString::fromStdString(row.arm);
    if (known.isValid()) {
        Arm& arm = m_arms[static_cast<std::size_t>(known.parent().row())];
        auto& old = arm.runs[static_cast<std::size_t>(known.row())];
        if (arm.name == name && old.seed == row.seed) {
            old = row;
            Q_EMIT dataChanged(known, known.siblingAtColumn(ColumnCount - 1));
            Q_EMIT dataChanged(known.parent(), known.parent().siblingAtColumn(ColumnCount - 1));
            return;
        }
        removeRun(QString::fromStdString(row.id));
    }
    const int at = ensureArm(name);
    Arm& arm = m_arms[static_cast<std::size_t>(at)];
    const auto where = std::upper_bound(arm.runs.begin(), arm.runs.end(), row, [](const RunRow& a, const RunRow& b) { return a.seed < b.seed; });
    const auto position = static_cast<int>(where - arm.runs.begin());
    beginInsertRows(index(at, 0), position, position);
    arm.runs.insert(where, row);
    arm.sparks.insert(arm.sparks.begin() + position, QVector<float>());
    endInsertRows();
    Q_EMIT dataChanged(index(at, 0), index(at, ColumnCount - 1));
}

void RunTreeModel::removeRun(const QString& id)
{
    const QModelIndex known = indexOfRun(id);
    if (!known.isValid())
        return;
    const int at = known.parent().row();
    Arm& arm = m_arms[static_cast<std::size_t>(at)];
    beginRemoveRows(known.parent(), known.row(), known.row());
    arm.runs.erase(arm.runs.begin() + known.row());
    arm.sparks.erase(arm.sparks.begin() + known.row());
    endRemoveRows();
    if (arm.runs.empty()) {
        beginRemoveRows({}, at, at);
        m_arms.erase(m_arms.begin() + at);
        endRemoveRows();
    } else {
        Q_EMIT dataChanged(index(at, 0), index(at, ColumnCount - 1));
    }
}

void RunTreeModel::setSpark(const QString& id, const QVector<float>& points)
{
    const QModelIndex known = indexOfRun(id);
    if (!known.isValid())
        return;
    m_arms[static_cast<std::size_t>(known.parent().row())].sparks[static_cast<std::size_t>(known.row())] = points;
    const QModelIndex cell = known.siblingAtColumn(Curve);
    Q_EMIT dataChanged(cell, cell, {SparkRole});
}

std::optional<RunRow> RunTreeModel::row(const QModelIndex& at) const
{
    if (!at.isValid() || !at.parent().isValid())
        return std::nullopt;
    return m_arms[static_cast<std::size_t>(at.parent().row())].runs[static_cast<std::size_t>(at.row())];
}

std::vector<RunRow> RunTreeModel::rowsOfArm(const QString& arm) const
{
    const int at = findArm(arm);
    return at < 0 ? std::vector<RunRow>() : m_arms[static_cast<std::size_t>(at)].runs;
}

QModelIndex RunTreeModel::indexOfRun(const QString& id) const
{
    const std::string key = id.toStdString();
    for (std::size_t a = 0; a < m_arms.size(); ++a)
        for (std::size_t i = 0; i < m_arms[a].runs.size(); ++i)
            if (m_arms[a].runs[i].id == key)
                return index(static_cast<int>(i), 0, index(static_cast<int>(a), 0));
    return {};
}

QModelIndex RunTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr(0));
}

QModelIndex RunTreeModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr(0));
}

// A view that expands everything would else remember every run as expanded, and carry that along with every sort.
Qt::ItemFlags RunTreeModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    return index.isValid() && index.internalId() != 0 ? flags | Qt::ItemNeverHasChildren : flags;
}

int RunTreeModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_arms.size());
    if (parent.internalId() != 0 || parent.column() > 0)
        return 0;
    return static_cast<int>(m_arms[static_cast<std::size_t>(parent.row())].runs.size());
}

int RunTreeModel::columnCount(const QModelIndex&) const { return ColumnCount; }

double RunTreeModel::value(const RunRow& row, int column)
{
    switch (column) {
    case Step: return static_cast<double>(row.step);
    case Loss: return row.loss;
    case ValLoss: return row.valLoss;
    case Needle: return row.needle;
    case Worst: return row.worst;
    case Perplexity: return row.perplexity;
    case Speed: return row.tokensPerSecond;
    case Time: return row.activeSeconds;
    default: return model::kMissing;
    }
}

// Half a training says little of a seed: once one run of the arm has arrived, only those that have are counted.
bool RunTreeModel::isDone(const Arm& arm)
{
    return std::any_of(arm.runs.begin(), arm.runs.end(), [](const RunRow& row) { return row.state == "done"; });
}

RunTreeModel::Spread RunTreeModel::spread(const Arm& arm, int column) const
{
    Spread s;
    double sum = 0;
    const auto counted = [&, done = isDone(arm)](const RunRow& row) { return (!done || row.state == "done") && std::isfinite(value(row, column)); };
    for (const RunRow& row : arm.runs) {
        if (!counted(row))
            continue;
        const double v = value(row, column);
        ++s.n;
        sum += v;
        s.least = s.n == 1 ? v : std::min(s.least, v);
        s.greatest = s.n == 1 ? v : std::max(s.greatest, v);
    }
    if (s.n == 0)
        return s;
    s.mean = s.least == s.greatest ? s.least : sum / s.n;
    if (s.n > 1) {
        double squares = 0;
        for (const RunRow& row : arm.runs)
            if (counted(row))
                squares += (value(row, column) - s.mean) * (value(row, column) - s.mean);
        s.sd = std::sqrt(squares / (s.n - 1));
    }
    return s;
}

namespace {

QString textOf(double v, int column)
{
    switch (column) {
    case RunTreeModel::Needle:
    case RunTreeModel::Worst: return formatPercent(v);
    case RunTreeModel::Speed: return formatCount(v);
    case RunTreeModel::Time: return formatDuration(v);
    default: return formatValue(v);
    }
}

// The spread with as many decimals as the mean has.
QString withSpread(const QString& mean, double sd)
{
    const auto point = mean.lastIndexOf(QLocale().decimalPoint());
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return mean + QStringLiteral(" ± ") + locale.toString(sd, 'f', point < 0 ? 0 : static_cast<int>(mean.size() - point - 1));
}

// NaN sorts below everything, so that a column with holes still has an order.
QVariant sortKey(double v) { return std::isnan(v) ? -std::numeric_limits<double>::max() : v; }

}  // namespace

QVariant RunTreeModel::armData(const Arm& arm, int column, int role) const
{
    const int color = static_cast<int>(m_order.indexOf(arm.name));
    switch (role) {
    case IsArmRole: return true;
    case ArmNameRole: return arm.name;
    case ArmIndexRole: return color;
    default: break;
    }
    if (column == Name) {
        if (role == Qt::DisplayRole)
            return arm.name;  // how many seeds it has stands in the next column
        if (role == SortRole)
            return color;
        if (role == Qt::DecorationRole) {
            const ArmStyle style = armStyle(color);
            return swatch(style.color, style.outline);
        }
        return {};
    }
    if (column == State) {
        int done = 0;
        for (const RunRow& row : arm.runs)
            done += row.state == "done";
        if (role == Qt::DisplayRole)
            return tr("%1 of %2 done").arg(done).arg(arm.runs.size());
        return role == SortRole ? QVariant(done) : QVariant();
    }
    if (column == Curve)
        return {};
    if (column == Worst) {
        // Of an arm: its worst seed.
        const RunRow* worst = nullptr;
        for (const RunRow& row : arm.runs)
            if ((!isDone(arm) || row.state == "done") && std::isfinite(row.needle) && (!worst || row.needle < worst->needle))
                worst = &row;
        if (role == Qt::DisplayRole)
            return worst ? QStringLiteral("%1  (s%2)").arg(formatPercent(worst->needle)).arg(worst->seed) : QStringLiteral("–");
        if (role == Qt::ToolTipRole)
            return worst ? tr("Worst of the seeds: seed %1").arg(worst->seed) : QVariant();
        return role == SortRole ? sortKey(worst ? worst->needle : model::kMissing) : QVariant();
    }
    const Spread s = spread(arm, column);
    if (role == SortRole)
        return sortKey(s.mean);
    if (role == Qt::DisplayRole) {
        if (column == Step)
            return {};
        if (s.n == 0)
            return QStringLiteral("–");
        const bool hasSpread = s.n > 1 && column != Speed && column != Time;
        const double scale = column == Needle ? 100 : 1;
        return hasSpread ? withSpread(textOf(s.mean, column), scale * s.sd) : textOf(s.mean, column);
    }
    if (role == Qt::ToolTipRole && s.n > 0)
        return tr("mean %1, SD (n−1) %2, least %3, greatest %4 of %n counted seed(s); runs that are under way are left out once one is done", nullptr, s.n)
            .arg(textOf(s.mean, column), std::isnan(s.sd) ? QStringLiteral("–") : formatValue(column == Needle ? 100 * s.sd : s.sd, 3), textOf(s.least, column), textOf(s.greatest, column));
    if (role == DeltaRole && (column == Needle || column == Perplexity) && arm.name != m_baseline) {
        const int at = findArm(m_baseline);
        if (at < 0)
            return {};
        const double delta = s.mean - spread(m_arms[static_cast<std::size_t>(at)], column).mean;
        if (!std::isfinite(delta))
            return {};
        const double shown = column == Needle ? 100 * delta : delta;
        return (shown < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatValue(std::abs(shown), 3);
    }
    return {};
}

QVariant RunTreeModel::runData(const Arm& arm, std::size_t at, int column, int role) const
{
    const RunRow& row = arm.runs[at];
    switch (role) {
    case IsArmRole: return false;
    case RunIdRole: return QString::fromStdString(row.id);
    case ArmNameRole: return arm.name;
    case ArmIndexRole: return m_order.indexOf(arm.name);
    case StateRole: return QString::fromStdString(row.state);
    case ProgressRole: return row.totalSteps > 0 ? static_cast<double>(row.step) / static_cast<double>(row.totalSteps) : model::kMissing;
    case SparkRole: return column == Curve ? QVariant::fromValue(arm.sparks[at]) : QVariant();
    default: break;
    }
    if (column == Name) {
        if (role == Qt::DisplayRole)
            return tr("seed %1").arg(row.seed);
        if (role == SortRole)
            return static_cast<qlonglong>(row.seed);
        if (role == Qt::ToolTipRole)
            return QString::fromStdString(row.id) + (row.message.empty() ? QString() : '\n' + QString::fromStdString(row.message));
        return {};
    }
    if (column == State) {
        const StateStyle style = stateStyle(QString::fromStdString(row.state));
        if (role == Qt::DisplayRole)
            return style.sign + ' ' + style.word;
        if (role == Qt::ForegroundRole)
            return style.color;
        if (role == SortRole)
            return QString::fromStdString(row.state);
        if (role == Qt::ToolTipRole)
            return row.message.empty() ? QVariant() : QVariant(QString::fromStdString(row.message));
        return {};
    }
    if (column == Curve)
        return {};
    const double v = value(row, column);
    if (role == SortRole)
        return sortKey(v);
    if (role == Qt::DisplayRole) {
        if (column == Step)
            return row.totalSteps > 0 && row.step != row.totalSteps ? QStringLiteral("%1 / %2").arg(row.step).arg(row.totalSteps) : QString::number(row.step);
        if (column == Loss && row.step > 0 && std::isnan(v))
            return QStringLiteral("nan");  // a step that has no finite loss is not the same as no step
        return textOf(v, column);
    }
    return {};
}

QVariant RunTreeModel::data(const QModelIndex& at, int role) const
{
    if (!checkIndex(at, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((at.column() >= Step ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (at.internalId() == 0)
        return armData(m_arms[static_cast<std::size_t>(at.row())], at.column(), role);
    return runData(m_arms[static_cast<std::size_t>(at.internalId() - 1)], static_cast<std::size_t>(at.row()), at.column(), role);
}

QVariant RunTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section >= Step ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    struct Header {
        QString title;
        QString tip;
    };
    const std::array<Header, ColumnCount> headers = {{
        {tr("arm ▸ seed"), {}},
        {tr("state"), tr("Derived from the run's files and its process")},
        {tr("step"), tr("Optimiser steps done, of all")},
        {tr("curve"), tr("Training loss over steps")},
        {tr("loss (nats)"), tr("Training loss of the last step, nats a token")},
        {tr("val (nats)"), tr("Newest validation loss, nats a token")},
        {tr("needle (%)"), tr("Mean exact match over all cells of the newest needle evaluation; for an arm mean ± SD over seeds (n−1), in grey the difference to the baseline arm")},
        {tr("worst (%)"), tr("Least cell of the run; for an arm its worst seed")},
        {tr("ppl"), tr("Validation perplexity at the longest length within the training context")},
        {tr("tok/s"), tr("Training speed of the last step")},
        {tr("time"), tr("Active training time")},
    }};
    if (section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return headers[static_cast<std::size_t>(section)].title;
    if (role == Qt::ToolTipRole)
        return headers[static_cast<std::size_t>(section)].tip;
    return {};
}

}  // namespace holo::widgets
