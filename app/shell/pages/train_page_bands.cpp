#include <QElapsedTimer>
#include <QSlider>
#include <QToolButton>
#include <cmath>
#include <utility>

#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/pages/train_page.h"
#include "widgets/plots/curve_plot.h"

// Means and ranges over the seeds of an arm.
namespace holo::shell {

using model::StepRecord;

namespace {

constexpr double kSmallSmoothing = 0.9;  // of the small plots whose value jitters
constexpr std::int64_t kBandPoints = 2000;
constexpr int kSliceMilliseconds = 15;

}  // namespace

std::map<std::int64_t, double> TrainPage::validationLosses(const QString& run) const
{
    std::map<std::int64_t, double> losses;
    if (const auto* evals = m_context.study.evals(run))
        for (const auto& eval : *evals)
            if (!eval.perplexity.empty() && !eval.row.swapped && eval.row.step >= 0)
                losses[eval.row.step] = eval.perplexity.back().nll;
    if (const auto* events = m_context.study.events(run))
        for (const auto& event : *events)
            if (!std::isnan(event.valLoss))
                losses[event.step] = event.valLoss;
    return losses;
}

double TrainPage::smoothingOf(std::size_t panel) const
{
    if (panel == 0)
        return m_smoothing->value() / 100.0;
    return m_panels[panel].member == &StepRecord::gradNorm || m_panels[panel].member == &StepRecord::tokensPerSecond ? kSmallSmoothing : 0;
}

std::vector<model::Curve> TrainPage::thinned(const QString& run) const
{
    std::vector<model::Curve> curves;
    const auto live = model::branches(*m_context.study.steps(run)).live;
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        model::Curve curve;
        const auto member = m_panels[i].member;
        if (member) {
            const double weight = smoothingOf(i);
            double average = 0;
            double share = 1;
            for (const auto& s : live) {
                double y = s.*member;
                if (weight > 0 && std::isfinite(y)) {
                    average = weight * average + (1 - weight) * y;
                    share *= weight;
                    y = average / (1 - share);
                }
                if (s.step % m_stride == 0) {
                    curve.x.push_back(static_cast<double>(s.step));
                    curve.y.push_back(y);
                }
            }
        } else {
            for (const auto& [step, loss] : validationLosses(run)) {
                curve.x.push_back(static_cast<double>(step));
                curve.y.push_back(loss);
            }
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

void TrainPage::updateBands()
{
    if (!m_bands->isChecked() || m_x != X::Step)
        return;
    std::int64_t stride = 1;
    for (const QString& run : m_shown)
        if (const auto* row = m_context.study.row(run))
            stride = std::max(stride, row->totalSteps / kBandPoints + 1);
    if (std::exchange(m_stride, stride) != stride)
        m_thin.clear();
    // Many long runs are worked off in slices, so that the window stays awake.
    QElapsedTimer clock;
    clock.start();
    for (const QString& run : m_shown) {
        const auto* steps = m_context.study.steps(run);
        if (!steps || steps->size() < 2 || (m_thin.contains(run) && !m_staleThin.contains(run)))
            continue;
        if (clock.elapsed() > kSliceMilliseconds) {
            m_bandTimer.start(kSliceMilliseconds);
            return;
        }
        m_thin[run] = thinned(run);
        m_staleThin.erase(run);
    }
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        std::map<QString, std::vector<const model::Curve*>> arms;
        for (const auto& [run, curves] : m_thin)
            if (const auto* row = m_context.study.row(run); row && curves[i].size() > 0)
                arms[QString::fromStdString(row->arm)].push_back(&curves[i]);
        for (const auto& [arm, list] : arms) {
            if (list.size() < 2)
                continue;
            widgets::CurveStyle style;
            style.arm = m_context.filter.armIndex(arm);
            style.label = arm;
            style.width = i == 0 ? 2 : 1.5;
            m_panels[i].plot->setBand(arm, model::bandOf(list), style);
        }
    }
}

}  // namespace holo::shell
