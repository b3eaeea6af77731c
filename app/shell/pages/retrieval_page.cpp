#include "app/shell/pages/retrieval_page.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/bridge/engine.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/pages/needle_curves.h"
#include "app/shell/trials_dialog.h"
#include "core/model/curve.h"
#include "widgets/common/empty_state.h"
#include "widgets/common/icon_button.h"
#include "widgets/common/icons.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/heatmap_plot.h"
#include "widgets/plots/scale_bar.h"

namespace holo::shell {

using widgets::AccuracyPlot;
using widgets::AccuracySeries;
using widgets::HeatmapPlot;

namespace {

constexpr std::size_t kMostMaps = 24;
enum Mode { MeanOfSeeds, WorstSeed, SingleRuns };  // as in the box

}  // namespace

RetrievalPage::RetrievalPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_stack(new QStackedWidget)
    , m_mode(new QComboBox)
    , m_position(new QComboBox)
    , m_slider(new QSlider(Qt::Horizontal))
    , m_play(widgets::iconButton("play", tr("Run through the evaluations over training")))
    , m_stepLabel(new QLabel)
    , m_note(new QLabel)
    , m_mapArea(new QWidget)
    , m_maps(new QGridLayout(m_mapArea))
    , m_scale(new widgets::ScaleBar(tr("exact match (%)")))
    , m_curve(new AccuracyPlot)
    , m_perplexity(new widgets::CurvePlot)
{
    m_mode->setObjectName("retrievalMode");
    m_mode->setAccessibleName(tr("what a map shows"));
    m_mode->addItems({tr("mean of seeds"), tr("worst seed"), tr("single runs")});
    m_position->setObjectName("positionMode");
    m_position->setAccessibleName(tr("position of the needle"));
    m_position->addItems({tr("by depth"), tr("by distance"), tr("by length"), tr("perplexity by length")});
    m_slider->setObjectName("stepSlider");
    m_slider->setAccessibleName(tr("step of the evaluation"));
    m_slider->setMaximumWidth(260);
    m_slider->setPageStep(1);
    m_play->setCheckable(true);
    m_note->setProperty("role", "secondary");
    m_maps->setContentsMargins(0, 0, 0, 0);
    m_maps->setSpacing(8);
    m_curve->setObjectName("positionCurve");
    m_curve->setTitle(tr("retrieval by needle position"));
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(12, 0, 12, 0);
    tools->setSpacing(8);
    tools->addWidget(m_mode);
    tools->addSpacing(12);
    tools->addWidget(m_play);
    tools->addWidget(m_slider);
    tools->addWidget(m_stepLabel);
    tools->addStretch();
    tools->addWidget(m_note);
    auto* lower = new QWidget;
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(0, 0, 0, 0);
    auto* lowerTools = new QHBoxLayout;
    lowerTools->setContentsMargins(12, 0, 12, 0);
    auto* heading = new QLabel(tr("Accuracy by needle position"));
    heading->setProperty("role", "heading");
    lowerTools->addWidget(heading);
    lowerTools->addWidget(m_position);
    lowerTools->addStretch();
    lowerLayout->addLayout(lowerTools);
    m_perplexity->setObjectName("perplexityCurve");
    m_perplexity->setTitle(tr("perplexity by length"));
    m_perplexity->setAxisTitles(tr("window length (tokens)"), tr("perplexity"));
    m_perplexity->setValueName(tr("perplexity"));
    connect(m_perplexity, &widgets::CurvePlot::failed, this, &Page::failed);
    m_perplexity->hide();
    lowerLayout->addWidget(m_curve, 1);
    lowerLayout->addWidget(m_perplexity, 1);
    auto* upper = new QWidget;
    auto* upperLayout = new QHBoxLayout(upper);
    upperLayout->setContentsMargins(0, 0, 8, 0);
    upperLayout->addWidget(m_mapArea, 1);
    upperLayout->addWidget(m_scale);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setSizes({440, 300});
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    m_mapArea->setMinimumHeight(180);
    lower->setMinimumHeight(120);
    splitter->setChildrenCollapsible(false);
    auto* body = new QWidget;
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(0, 4, 4, 4);
    bodyLayout->addLayout(tools);
    bodyLayout->addWidget(splitter, 1);
    auto* empty = new widgets::EmptyState(tr("Here a heatmap for each arm says how often a needle is found, by prompt length and depth."), tr("Plan runs"));
    m_stack->addWidget(empty);
    m_stack->addWidget(body);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(empty, &widgets::EmptyState::activated, this, [this] { Q_EMIT pageWanted("design"); });
    m_rebuildTimer.setSingleShot(true);
    m_rebuildTimer.setInterval(60);
    connect(&m_rebuildTimer, &QTimer::timeout, this, &RetrievalPage::rebuild);
    connect(m_mode, &QComboBox::activated, this, &RetrievalPage::later);
    connect(m_position, &QComboBox::activated, this, &RetrievalPage::later);
    connect(m_slider, &QSlider::valueChanged, this, &RetrievalPage::later);
    m_playTimer.setInterval(700);
    connect(m_play, &QToolButton::toggled, this, [this](bool on) {
        if (on) {
            if (m_slider->value() == m_slider->maximum())
                m_slider->setValue(0);
            m_playTimer.start();
        } else {
            m_playTimer.stop();
        }
        m_play->setIcon(widgets::icon(on ? "pause" : "play"));
    });
    connect(&m_playTimer, &QTimer::timeout, this, [this] {
        if (m_slider->value() < m_slider->maximum())
            m_slider->setValue(m_slider->value() + 1);
        else
            m_play->setChecked(false);
    });
    auto& study = m_context.study;
    connect(&study, &bridge::Study::opened, this, &RetrievalPage::want);
    connect(&study, &bridge::Study::opened, this, &RetrievalPage::later);
    connect(&study, &bridge::Study::rowsChanged, this, &RetrievalPage::want);
    connect(&study, &bridge::Study::closed, this, &RetrievalPage::later);
    connect(&study, &bridge::Study::runsRemoved, this, &RetrievalPage::later);
    connect(&study, &bridge::Study::evalsLoaded, this, &RetrievalPage::later);
    connect(&m_context.filter, &FilterState::changed, this, &RetrievalPage::later);
    connect(&m_context.filter, &FilterState::choicesChanged, this, &RetrievalPage::later);
}

// Pages that are not seen are brought up to date when they are.
void RetrievalPage::later()
{
    m_stale = true;
    if (isVisible())
        m_rebuildTimer.start();
    else
        updateSteps();
}

void RetrievalPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        rebuild();
}

void RetrievalPage::want()
{
    for (const auto& [run, row] : m_context.study.rows())
        if (row.evals > 0)
            m_context.study.wantEvals(run);
}

std::int64_t RetrievalPage::chosenStep() const
{
    const auto at = static_cast<std::size_t>(m_slider->value());
    return at + 1 >= m_steps.size() ? -1 : m_steps[at];  // the last one means "newest of each run"
}

void RetrievalPage::updateSteps()
{
    std::set<std::int64_t> steps;
    std::set<qint64> lengths;
    for (const auto& [run, row] : m_context.study.rows())
        if (const auto* evals = m_context.study.evals(run))
            for (const auto& eval : *evals)
                if (eval.row.protocol == "needle" && !eval.row.swapped) {
                    steps.insert(eval.row.step);
                    lengths.insert(eval.grid.lengths.begin(), eval.grid.lengths.end());
                }
    const bool wasLast = m_slider->value() == m_slider->maximum();
    m_steps.assign(steps.begin(), steps.end());
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, std::max(0, static_cast<int>(m_steps.size()) - 1));
    if (wasLast)
        m_slider->setValue(m_slider->maximum());
    m_slider->setEnabled(m_steps.size() > 1);
    m_play->setEnabled(m_steps.size() > 1);
    const std::int64_t step = chosenStep();
    m_stepLabel->setText(m_steps.empty() ? QString() : step < 0 ? tr("newest (step %1)").arg(m_steps.back()) : tr("step %1").arg(step));
    m_context.filter.setLengths(QList<qint64>(lengths.begin(), lengths.end()));
}

std::vector<RetrievalPage::Panel> RetrievalPage::panels() const
{
    const std::int64_t step = chosenStep();
    std::vector<Panel> list;
    for (const QString& arm : m_context.filter.arms()) {
        if (!m_context.filter.isShown(arm))
            continue;
        std::vector<model::NeedleGrid> grids;
        std::vector<const model::RunRow*> rows;
        // A run that is under way would pull the mean of those that have arrived.
        bool anyDone = false;
        for (const auto& [run, row] : m_context.study.rows())
            anyDone = anyDone || (row.state == "done" && QString::fromStdString(row.arm) == arm && m_context.filter.isShown(row.seed));
        for (const auto& [run, row] : m_context.study.rows()) {
            if (QString::fromStdString(row.arm) != arm || !m_context.filter.isShown(row.seed))
                continue;
            if (m_mode->currentIndex() != SingleRuns && step < 0 && anyDone && row.state != "done")
                continue;
            if (const auto* eval = m_context.study.needle(run, step); eval && !eval->grid.isEmpty()) {
                grids.push_back(eval->grid);
                rows.push_back(&row);
            }
        }
        const int index = m_context.filter.armIndex(arm);
        if (m_mode->currentIndex() == WorstSeed) {
            const auto worst = std::min_element(grids.begin(), grids.end(), [](const auto& a, const auto& b) { return a.mean < b.mean; });
            if (worst != grids.end()) {
                const auto* row = rows[static_cast<std::size_t>(worst - grids.begin())];
                list.push_back({tr("%1 · worst seed %2 · %3 %").arg(arm).arg(row->seed).arg(100 * worst->mean, 0, 'f', 1), arm, QString::fromStdString(row->id), index, *worst});
            }
            continue;
        }
        if (m_mode->currentIndex() == MeanOfSeeds) {
            if (!grids.empty())
                list.push_back({QStringLiteral("%1 · %2 %").arg(arm).arg(100 * model::meanGrid(grids).mean, 0, 'f', 1) + (grids.size() > 1 ? tr(" · %n seed(s)", nullptr, static_cast<int>(grids.size())) : QString()),
                    arm, {}, index, model::meanGrid(grids)});
            continue;
        }
        for (std::size_t i = 0; i < grids.size(); ++i)
            list.push_back({QStringLiteral("%1 · s%2 · %3 %").arg(arm).arg(rows[i]->seed).arg(100 * grids[i].mean, 0, 'f', 1), arm, QString::fromStdString(rows[i]->id), index, grids[i]});
    }
    return list;
}

void RetrievalPage::rebuild()
{
    m_stale = false;
    updateSteps();
    const auto list = panels();
    m_stack->setCurrentIndex(!list.empty());
    showMaps(list);
    showCurve(list);
}

void RetrievalPage::showMaps(const std::vector<Panel>& list)
{
    const std::size_t count = std::min(list.size(), kMostMaps);
    m_note->setText(count < list.size() ? tr("%1 of %2 maps").arg(count).arg(list.size()) : QString());
    while (m_plots.size() < count) {
        auto* plot = new HeatmapPlot;
        const std::size_t at = m_plots.size();
        plot->setObjectName(QStringLiteral("heatmap%1").arg(at));
        plot->setScaleVisible(false);
        connect(plot, &HeatmapPlot::colorMapChosen, this, [this](const QString& name) {
            for (auto* other : m_plots)
                other->setColorMap(name);
            m_scale->setColorMap(name);
        });
        connect(plot, &HeatmapPlot::cellActivated, this, [this, at](std::int64_t length, double depth) {
            if (at < m_shown.size())
                openTrials(m_shown[at], length, depth);
        });
        connect(plot, &HeatmapPlot::cellSelected, this, [this, at](std::int64_t, double) {
            if (at < m_shown.size() && !m_shown[at].run.isEmpty())
                m_context.filter.selectRun(m_shown[at].run);
        });
        connect(plot, &HeatmapPlot::failed, this, &Page::failed);
        connect(plot, &HeatmapPlot::exported, this, [this](const QString& file) { Q_EMIT noted(tr("Wrote %1").arg(file)); });
        m_plots.push_back(plot);
    }
    // As square as the room allows. The scale stands once, right of the last column; so all maps are alike.
    const int columns = count <= 4 ? static_cast<int>(std::max<std::size_t>(count, 1)) : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count) * 1.6)));
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        m_maps->removeWidget(m_plots[i]);
        m_plots[i]->setVisible(i < count);
        if (i >= count)
            continue;
        m_maps->addWidget(m_plots[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
        m_plots[i]->setGrid(list[i].grid);
        m_plots[i]->setCaption(list[i].title);
        const bool first = static_cast<int>(i) % columns == 0;
        m_plots[i]->yAxis->setLabel(first ? HeatmapPlot::tr("needle depth (% of context)") : QStringLiteral(" "));  // as wide as the first
    }
    if (m_context.study.isOpen())
        for (auto* plot : m_plots)
            plot->setCommand(bridge::shellCommand({"report", m_context.study.folder(), "--out", "report"}));
    m_curve->setCommand(m_plots.empty() ? QString() : m_plots.front()->command());
    m_shown.assign(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
}

void RetrievalPage::showCurve(const std::vector<Panel>& list)
{
    const bool distance = m_position->currentIndex() == 1;
    const bool length = m_position->currentIndex() == 2;
    const bool perplexity = m_position->currentIndex() == 3;
    m_curve->setVisible(!perplexity);
    m_perplexity->setVisible(perplexity);
    if (perplexity)
        return showPerplexity();
    std::vector<AccuracySeries> series;
    double chance = 0;
    double context = 0;
    for (const auto& panel : list) {
        AccuracySeries s{panel.run.isEmpty() ? panel.arm : panel.title, panel.armIndex, false, {}};
        s.points = distance ? byDistance(panel.grid) : length ? byLength(panel.grid) : byDepth(panel.grid, m_context.filter.length());
        series.push_back(std::move(s));
        chance = panel.grid.chance;
        context = static_cast<double>(panel.grid.context);
    }
    m_curve->setXTitle(distance ? tr("distance from needle to question (tokens)")
                                : length ? tr("prompt length (tokens), all depths; hatched: beyond the training window")
                                : m_context.filter.length() ? tr("needle depth (% of context), length %1").arg(m_context.filter.length()) : tr("needle depth (% of context), all lengths"));
    m_curve->setWindowEdge(distance || length ? context : 0);
    m_curve->setChance(std::isfinite(chance) ? chance : 0);
    m_curve->setSeries(series);
}

// Of each arm the mean over its seeds, at the lengths that all of them have.
void RetrievalPage::showPerplexity()
{
    m_perplexity->clearCurves();
    const std::int64_t step = chosenStep();
    double context = 0;
    for (const QString& arm : m_context.filter.arms()) {
        std::vector<model::Curve> curves;
        for (const auto& [run, row] : m_context.study.rows()) {
            const auto* evals = m_context.study.evals(run);
            if (!evals || QString::fromStdString(row.arm) != arm || !m_context.filter.isShown(arm, row.seed))
                continue;
            const bridge::EvalResult* newest = nullptr;
            for (const auto& eval : *evals)
                if (!eval.perplexity.empty() && !eval.row.swapped && (step < 0 || eval.row.step <= step) && (!newest || eval.row.step >= newest->row.step))
                    newest = &eval;
            if (!newest)
                continue;
            model::Curve curve;
            for (const auto& point : newest->perplexity) {
                curve.x.push_back(static_cast<double>(point.length));
                curve.y.push_back(point.ppl);
            }
            context = static_cast<double>(row.context);
            curves.push_back(std::move(curve));
        }
        if (curves.empty())
            continue;
        std::vector<const model::Curve*> list;
        for (const auto& curve : curves)
            list.push_back(&curve);
        const model::Band band = model::bandOf(list);
        widgets::CurveStyle style;
        style.arm = m_context.filter.armIndex(arm);
        style.label = arm;
        style.width = 2;
        m_perplexity->setCurve(arm, style);
        m_perplexity->replaceData(arm, {band.x, band.mean});
    }
    m_perplexity->setAxisTitles(context > 0 ? tr("window length (tokens), trained on %1").arg(context) : tr("window length (tokens)"), tr("perplexity"));
    m_perplexity->setCommand(m_curve->command());
}

void RetrievalPage::openTrials(const Panel& panel, std::int64_t length, double depth)
{
    std::vector<TrialsDialog::Source> sources;
    for (const auto& [run, row] : m_context.study.rows()) {
        if ((panel.run.isEmpty() ? QString::fromStdString(row.arm) != panel.arm : run != panel.run) || !m_context.filter.isShown(row.seed))
            continue;
        if (const auto* eval = m_context.study.needle(run, chosenStep()))
            sources.push_back({row.seed, m_context.study.runFolder(run), QString::fromStdString(eval->row.id)});
    }
    auto* dialog = new TrialsDialog(panel.arm, sources, length, depth, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

}  // namespace holo::shell
