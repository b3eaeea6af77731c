#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QIcon>
#include <vector>

namespace holo::widgets {

// A finished table: text for people, a typed key for sorting, right-aligned numbers.
struct TableCell {
    QString text;
    QVariant sort;       // invalid: the text
    bool number = false; // right-aligned
    QString tip = {};
    QColor color = {};
    QIcon icon = {};
};
TableCell numberCell(double value, int digits = 4);
TableCell integerCell(qint64 value);

class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kSortRole = Qt::UserRole;

    struct Column {
        QString title;
        QString tip = {};
    };
    using QAbstractTableModel::QAbstractTableModel;
    void setTable(std::vector<Column> columns, std::vector<std::vector<TableCell>> rows);

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QString csv() const;

    void setEditableColumn(int column) { m_editable = column; }  // −1: none; what is typed arrives by signal, the table itself stays
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void cellEdited(int row, int column, const QString& text);

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<TableCell>> m_rows;
    int m_editable = -1;
};

}  // namespace holo::widgets
