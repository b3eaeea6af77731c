#include "app/shell/pages/reliability_tables.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/common/arm_style.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/models/table_model.h"

namespace holo::shell {

using namespace widgets;

namespace {

struct Reliability {
    Q_DECLARE_TR_FUNCTIONS(Reliability)
};

TableCell optional(const std::optional<double>& value, double scale = 1, int digits = 4)
{
    return value ? numberCell(scale * *value, digits) : TableCell{QStringLiteral("–"), -std::numeric_limits<double>::max(), true};
}

constexpr std::size_t kBestOf = 3;

// "97.1 (100 %)": the expected best, and the chance that it reaches the floor. The tip tells every k.
TableCell bestOf(const stats::GroupSummary& g, double scale)
{
    if (g.bestOf.size() < kBestOf)
        return {QStringLiteral("–"), -1, true};
    const auto words = [&](std::size_t k) {
        const QString best = formatValue(scale * g.bestOf[k - 1]);
        return g.bestOfReaches.size() >= k ? QStringLiteral("%1 (%2 %)").arg(best, formatPercent(g.bestOfReaches[k - 1], 0)) : best;
    };
    TableCell cell{words(kBestOf), scale * g.bestOf[kBestOf - 1], true};
    QStringList lines;
    for (std::size_t k = 1; k <= std::min<std::size_t>(g.bestOf.size(), 10); ++k)
        lines << Reliability::tr("best of %1: %2").arg(k).arg(words(k));
    cell.tip = lines.join('\n');
    return cell;
}

}  // namespace

void showGroups(TableModel& model, const stats::StatisticsTable& table, double scale, const std::function<int(const QString& arm)>& armIndex)
{
    std::vector<std::vector<TableCell>> rows;
    for (const auto& g : table.groups) {
        const ArmStyle style = armStyle(armIndex(QString::fromStdString(g.arm)));
        TableCell name{QString::fromStdString(g.arm)};
        name.icon = swatch(style.color, style.outline);
        const QString interval = g.meanInterval ? QStringLiteral("%1 … %2").arg(formatValue(scale * g.meanInterval->lo), formatValue(scale * g.meanInterval->hi)) : QStringLiteral("–");
        const QString learned = g.learned.k ? QStringLiteral("%1 / %2").arg(*g.learned.k).arg(g.learned.n) : QStringLiteral("–");
        TableCell learnedCell{learned, g.learned.k ? QVariant(static_cast<qlonglong>(*g.learned.k)) : QVariant(-1LL), true};
        if (g.learned.wilson)
            learnedCell.tip = Reliability::tr("Wilson 95 %: %1 … %2 %").arg(formatPercent(g.learned.wilson->lo), formatPercent(g.learned.wilson->hi));
        rows.push_back({name, integerCell(g.n), optional(g.mean, scale), optional(g.sd, scale, 3), {interval, {}, true}, optional(g.min, scale), optional(g.max, scale),
            g.worstSeed ? integerCell(*g.worstSeed) : TableCell{QStringLiteral("–"), -1, true}, learnedCell, bestOf(g, scale), optional(g.noise.sd, scale, 3), {QString::fromStdString(g.note)}});
    }
    // Notes are rare; without one there is no column.
    const bool noted = std::any_of(table.groups.begin(), table.groups.end(), [](const auto& g) { return !g.note.empty(); });
    std::vector<TableModel::Column> columns{{Reliability::tr("arm")}, {Reliability::tr("n"), Reliability::tr("Finished seeds with a finite value")}, {Reliability::tr("mean")}, {Reliability::tr("SD (n−1)")}, {Reliability::tr("mean, 95 %"), Reliability::tr("Bootstrap over seeds, BCa")}, {Reliability::tr("least")}, {Reliability::tr("greatest")},
                           {Reliability::tr("worst seed")}, {Reliability::tr("learned"), Reliability::tr("Seeds at or above the floor (half, for shares)")}, {Reliability::tr("best of %1").arg(kBestOf), Reliability::tr("Expected best of so many of these seeds, and the chance that it has learned")}, {Reliability::tr("SD without trial noise"), Reliability::tr("Spread between seeds once the binomial noise of a finite number of trials is taken off")}};
    if (noted)
        columns.push_back({Reliability::tr("note")});
    else
        for (auto& row : rows)
            row.pop_back();
    model.setTable(std::move(columns), std::move(rows));
}

void showTests(TableModel& model, const stats::StatisticsTable& table)
{
    std::vector<std::vector<TableCell>> rows;
    const auto addTests = [&](const std::vector<stats::TestResult>& tests, const QString& kind) {
        for (const auto& t : tests) {
            QStringList names;
            for (const auto& g : t.groups)
                names << QString::fromStdString(g);
            QStringList df;
            for (const double d : t.df)
                df << formatValue(d, 4);
            QString verdict = QString::fromStdString(t.note);
            if (verdict.isEmpty() && t.pHolm)
                verdict = *t.pHolm < 0.05 ? Reliability::tr("a difference, also after Holm") : t.p && *t.p < 0.05 ? Reliability::tr("not after Holm") : Reliability::tr("no evidence");
            rows.push_back({{QString::fromStdString(t.name)}, {names.isEmpty() ? Reliability::tr("all arms") : names.join(", ")}, {kind}, optional(t.statistic), {df.join(", "), {}, true}, optional(t.p, 1, 3), optional(t.pHolm, 1, 3), {verdict}});
        }
    };
    addTests(table.tests, Reliability::tr("independent"));
    addTests(table.paired, Reliability::tr("paired"));
    if (table.logRank)
        addTests({*table.logRank}, Reliability::tr("emergence"));
    model.setTable({{Reliability::tr("test")}, {Reliability::tr("arms")}, {Reliability::tr("kind")}, {Reliability::tr("statistic")}, {Reliability::tr("df")}, {Reliability::tr("p")}, {Reliability::tr("p (Holm)"), Reliability::tr("Holm's correction over all p of this list")}, {Reliability::tr("in words")}}, std::move(rows));
}

}  // namespace holo::shell
