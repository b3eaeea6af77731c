#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <optional>
#include <vector>

#include "core/model/run_row.h"

namespace holo::widgets {

// Arms with their seeds below. An arm's row holds mean ± SD (n−1) over its seeds and names the worst one; values that are not finite are
// left out of it. Column titles carry the units.
class RunTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, State, Step, Curve, Loss, ValLoss, Needle, Worst, Perplexity, Speed, Time, ColumnCount };
    enum Role { SortRole = Qt::UserRole, RunIdRole, ArmNameRole, ArmIndexRole, IsArmRole, StateRole, ProgressRole, SparkRole, DeltaRole };

    using QAbstractItemModel::QAbstractItemModel;
    void setArmOrder(const QStringList& arms);  // of the project; others follow in the order they are met
    void setBaseline(const QString& arm);
    const QString& baseline() const { return m_baseline; }
    void setRows(const std::vector<model::RunRow>& rows);
    void updateRow(const model::RunRow& row);
    void removeRun(const QString& id);
    void setSpark(const QString& id, const QVector<float>& points);  // 0 … 1, NaN: gap
    std::optional<model::RunRow> row(const QModelIndex& index) const;
    QModelIndex indexOfRun(const QString& id) const;
    int armIndex(const QString& arm) const { return static_cast<int>(m_order.indexOf(arm)); }
    std::vector<model::RunRow> rowsOfArm(const QString& arm) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Arm {
        QString name;
        std::vector<model::RunRow> runs;
        std::vector<QVector<float>> sparks;
    };
    struct Spread {
        int n = 0;
        double mean = model::kMissing;
        double sd = model::kMissing;
        double least = model::kMissing;
        double greatest = model::kMissing;
    };
    static bool isDone(const Arm& arm);
    Spread spread(const Arm& arm, int column) const;
    static double value(const model::RunRow& row, int column);
    QVariant armData(const Arm& arm, int column, int role) const;
    QVariant runData(const Arm& arm, std::size_t run, int column, int role) const;
    int findArm(const QString& name) const;
    int ensureArm(const QString& name);

    QStringList m_order;
    QString m_baseline;
    std::vector<Arm> m_arms;
};

}  // namespace holo::widgets
