#pragma once

#include <QSet>
#include <QSortFilterProxyModel>

namespace holo::widgets {

// Typed sort and a filter line over the run tree: words match arm, seed, state or folder; "state:done", "arm:mob", "seed:3",
// "needle<50", "loss>=3.2", "step>100" compare. All of them must hold. Arms and seeds hidden by the filter bar are left out too.
class RunFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunFilter(QObject* parent = nullptr);
    // Returns an empty text, or what is wrong with the expression in one sentence.
    QString setExpression(const QString& expression);
    void setHidden(const QSet<QString>& arms, const QSet<qint64>& seeds);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    struct Term {
        QString key;    // empty: a word
        QString op;     // : < <= > >=
        QString text;
        double number = 0;
    };
    QList<Term> m_terms;
    QSet<QString> m_hiddenArms;
    QSet<qint64> m_hiddenSeeds;
};

}  // namespace holo::widgets
