#include "widgets/models/run_filter.h"

#include <QRegularExpression>

#include "core/base/text.h"
#include "widgets/common/number_edit.h"
#include "widgets/models/run_tree_model.h"

namespace holo::widgets {

namespace {

const QHash<QString, int>& numericColumns()
{
    static const QHash<QString, int> columns = {
        {"step", RunTreeModel::Step}, {"loss", RunTreeModel::Loss}, {"val", RunTreeModel::ValLoss}, {"needle", RunTreeModel::Needle},
        {"worst", RunTreeModel::Worst}, {"ppl", RunTreeModel::Perplexity}, {"speed", RunTreeModel::Speed}, {"time", RunTreeModel::Time},
        {"seed", RunTreeModel::Name},
    };
    return columns;
}

}  // namespace

RunFilter::RunFilter(QObject* parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(RunTreeModel::SortRole);
    setDynamicSortFilter(true);
}

QString RunFilter::setExpression(const QString& expression)
{
    static const QRegularExpression pattern("^(\\w+)(:|<=|>=|<|>|=)(.+)$");
    QList<Term> terms;
    for (const QString& word : expression.split(' ', Qt::SkipEmptyParts)) {
        const auto match = pattern.match(word);
        if (!match.hasMatch()) {
            terms.append({{}, {}, word.toLower(), 0});
            continue;
        }
        Term term{match.captured(1).toLower(), match.captured(2), match.captured(3).toLower(), 0};
        const bool isText = term.key == "arm" || term.key == "state";
        if (!isText && !numericColumns().contains(term.key)) {
            std::vector<std::string> names = {"arm", "state"};
            for (const QString& name : numericColumns().keys())
                names.push_back(name.toStdString());
            return tr("“%1” is no column; %2").arg(term.key, QString::fromStdString(suggestion(term.key.toStdString(), names)));
        }
        if (!isText) {
            const auto number = NumberEdit::parse(term.text);
            if (!number)
                return tr("“%1” is no number").arg(term.text);
            term.number = *number;
            if (term.op == ":")
                term.op = "=";
        }
        terms.append(term);
    }
    m_terms = terms;
    invalidateFilter();
    return {};
}

void RunFilter::setHidden(const QSet<QString>& arms, const QSet<qint64>& seeds)
{
    m_hiddenArms = arms;
    m_hiddenSeeds = seeds;
    invalidateFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const QModelIndex at = sourceModel()->index(row, 0, parent);
    if (m_hiddenArms.contains(at.data(RunTreeModel::ArmNameRole).toString()))
        return false;
    if (!parent.isValid()) {  // an arm is there as long as one of its seeds is
        for (int i = 0; i < sourceModel()->rowCount(at); ++i)
            if (filterAcceptsRow(i, at))
                return true;
        return false;
    }
    if (m_hiddenSeeds.contains(at.data(RunTreeModel::SortRole).toLongLong()))
        return false;
    for (const Term& term : m_terms) {
        if (term.key.isEmpty()) {
            const QString all = (at.data(RunTreeModel::ArmNameRole).toString() + ' ' + at.data().toString() + ' ' + at.data(RunTreeModel::StateRole).toString() + ' '
                + at.data(RunTreeModel::RunIdRole).toString()).toLower();
            if (!all.contains(term.text))
                return false;
            continue;
        }
        if (term.key == "arm" || term.key == "state") {
            const int role = term.key == "arm" ? RunTreeModel::ArmNameRole : RunTreeModel::StateRole;
            if (!at.data(role).toString().toLower().contains(term.text))
                return false;
            continue;
        }
        const int column = numericColumns().value(term.key);
        double value = at.siblingAtColumn(column).data(RunTreeModel::SortRole).toDouble();
        if (value == -std::numeric_limits<double>::max())
            return false;  // not there
        if (column == RunTreeModel::Needle || column == RunTreeModel::Worst)
            value *= 100;  // as shown
        const bool holds = term.op == "<" ? value < term.number : term.op == "<=" ? value <= term.number : term.op == ">" ? value > term.number
            : term.op == ">=" ? value >= term.number : value == term.number;
        if (!holds)
            return false;
    }
    return true;
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const QVariant a = left.data(sortRole());
    const QVariant b = right.data(sortRole());
    if (a.typeId() == QMetaType::QString)
        return a.toString() < b.toString();
    return a.toDouble() < b.toDouble();
}

}  // namespace holo::widgets
