#include "widgets/models/table_model.h"

#include "widgets/common/format.h"

namespace holo::widgets {

TableCell numberCell(double value, int digits) { return {formatValue(value, digits), value, true}; }
TableCell integerCell(qint64 value) { return {QString::number(value), value, true}; }

void TableModel::setTable(std::vector<Column> columns, std::vector<std::vector<TableCell>> rows)
{
    beginResetModel();
    m_columns = std::move(columns);
    m_rows = std::move(rows);
    for (auto& row : m_rows)
        row.resize(m_columns.size());
    endResetModel();
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TableCell& cell = m_rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole: return cell.text;
    case Qt::EditRole: return cell.sort.typeId() == QMetaType::Double ? QVariant(QString::number(cell.sort.toDouble(), 'g', 12)) : QVariant(cell.text);
    case kSortRole: return cell.sort.isValid() ? cell.sort : QVariant(cell.text);
    case Qt::TextAlignmentRole: return int((cell.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole: return cell.tip.isEmpty() ? QVariant() : QVariant(cell.tip);
    case Qt::ForegroundRole: return cell.color.isValid() ? QVariant(cell.color) : QVariant();
    case Qt::DecorationRole: return cell.icon.isNull() ? QVariant() : QVariant(cell.icon);
    default: return {};
    }
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == m_editable ? flags | Qt::ItemIsEditable : flags;
}

bool TableModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || index.column() != m_editable || value.toString() == data(index, Qt::EditRole).toString())
        return false;
    Q_EMIT cellEdited(index.row(), index.column(), value.toString());
    return true;
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return column.title;
    if (role == Qt::ToolTipRole && !column.tip.isEmpty())
        return column.tip;
    if (role == Qt::TextAlignmentRole && !m_rows.empty())
        return int((m_rows[0][static_cast<std::size_t>(section)].number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

QString TableModel::csv() const
{
    const auto quoted = [](QString text) { return '"' + text.replace('"', "\"\"") + '"'; };
    QString text;
    for (std::size_t c = 0; c < m_columns.size(); ++c)
        text += (c ? "," : "") + quoted(m_columns[c].title);
    text += '\n';
    for (const auto& row : m_rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool isNumber = row[c].sort.typeId() == QMetaType::Double || row[c].sort.typeId() == QMetaType::LongLong;
            text += (c ? "," : "") + (isNumber ? (row[c].sort.typeId() == QMetaType::Double ? QString::number(row[c].sort.toDouble(), 'g', 17) : row[c].sort.toString()) : quoted(row[c].text));
        }
        text += '\n';
    }
    return text;
}

}  // namespace holo::widgets
