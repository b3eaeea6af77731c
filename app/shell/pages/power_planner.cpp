#include "app/shell/pages/power_planner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <cmath>

#include "app/bridge/study.h"
#include "core/stats/power.h"
#include "widgets/common/format.h"
#include "widgets/common/number_edit.h"

namespace holo::shell {

using namespace widgets;

PowerPlanner::PowerPlanner(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_work(this)
    , m_ratio(new NumberEdit)
    , m_alpha(new NumberEdit)
    , m_wanted(new NumberEdit)
    , m_plan(new QPushButton(tr("Plan seeds")))
    , m_planned(new QLabel)
{
    m_ratio->setAccessibleName(tr("ratio of the standard deviations"));
    m_alpha->setAccessibleName(tr("significance level α"));
    m_wanted->setAccessibleName(tr("power"));
    m_ratio->setRange(1, 100);
    m_ratio->setValue(3);
    m_alpha->setRange(1e-6, 0.5);
    m_alpha->setValue(0.05);
    m_wanted->setRange(0.05, 0.999);
    m_wanted->setValue(0.8);
    for (auto* edit : {m_ratio, m_alpha, m_wanted})
        edit->setMaximumWidth(70);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->addWidget(new QLabel(tr("How many seeds? SD ratio")));
    layout->addWidget(m_ratio);
    layout->addWidget(new QLabel(tr("α")));
    layout->addWidget(m_alpha);
    layout->addWidget(new QLabel(tr("power")));
    layout->addWidget(m_wanted);
    layout->addWidget(m_plan);
    layout->addWidget(m_planned, 1);
    setToolTip(tr("Simulated experiments with normal scores, Brown–Forsythe test; the fewest seeds an arm that reach the power"));
    connect(m_plan, &QPushButton::clicked, this, &PowerPlanner::plan);
}

void PowerPlanner::plan()
{
    const auto ratio = m_ratio->value();
    const auto alpha = m_alpha->value();
    const auto wanted = m_wanted->value();
    if (!ratio || !alpha || !wanted)
        return;
    stats::PowerPlan wish;
    wish.sdRatio = *ratio;
    wish.alpha = *alpha;
    wish.power = *wanted;
    double seconds = 0;
    int runs = 0;
    for (const auto& [id, row] : m_context.study.rows())
        if (row.state == "done" && std::isfinite(row.activeSeconds)) {
            seconds += row.activeSeconds;
            ++runs;
        }
    wish.hoursPerRun = runs > 0 ? seconds / runs / 3600 : 0;
    m_plan->setEnabled(false);
    m_planned->setText(tr("simulating…"));
    m_work.start([wish] { return stats::planPower(wish); },
        [this, wish](const stats::PowerResult& result) {
            m_plan->setEnabled(true);
            if (!result.seeds) {
                m_planned->setText(tr("not within %1 seeds an arm").arg(wish.maxSeeds));
                return;
            }
            QString text = tr("%1 seeds an arm").arg(*result.seeds);
            if (wish.hoursPerRun > 0)
                text += tr(", %1 of training for two arms at the speed of this project").arg(formatDuration(2 * *result.seeds * wish.hoursPerRun * 3600));
            m_planned->setText(text);
        });
}

}  // namespace holo::shell
