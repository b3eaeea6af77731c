#include "app/shell/pages/train_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/pages/live_strip.h"
#include "core/model/curve.h"
#include "widgets/common/empty_state.h"
#include "widgets/plots/curve_plot.h"

namespace holo::shell {

using model::StepRecord;
using widgets::CurvePlot;
using widgets::CurveStyle;

namespace {

constexpr int kBandMilliseconds = 1000;
constexpr std::size_t kMostRuns = 120;  // beyond that the note says how many are drawn

struct Value {
    const char* title;
    const char* shortTitle;  // of the small plots
    double StepRecord::* member;
    bool logY;
};
const std::vector<Value>& values()
{
    static const std::vector<Value> list = {
        {QT_TRANSLATE_NOOP("Train", "loss (nats/token)"), QT_TRANSLATE_NOOP("Train", "loss (nats)"), &StepRecord::loss, false},
        {QT_TRANSLATE_NOOP("Train", "validation loss (nats/token)"), QT_TRANSLATE_NOOP("Train", "val loss (nats)"), nullptr, false},
        {QT_TRANSLATE_NOOP("Train", "gradient norm"), QT_TRANSLATE_NOOP("Train", "grad norm"), &StepRecord::gradNorm, true},
        {QT_TRANSLATE_NOOP("Train", "learning rate"), QT_TRANSLATE_NOOP("Train", "lr"), &StepRecord::lr, false},
        {QT_TRANSLATE_NOOP("Train", "tokens/s"), QT_TRANSLATE_NOOP("Train", "tokens/s"), &StepRecord::tokensPerSecond, false},
    };
    return list;
}

}  // namespace

TrainPage::TrainPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_stack(new QStackedWidget)
    , m_xAxis(new QComboBox)
    , m_value(new QComboBox)
    , m_smoothing(new QSlider(Qt::Horizontal))
    , m_note(new QLabel)
    , m_bands(new QToolButton)
{
    m_xAxis->setObjectName("xAxis");
    m_xAxis->setAccessibleName(tr("horizontal axis"));
    m_xAxis->addItems({tr("steps"), tr("tokens"), tr("active time"), tr("wall clock")});
    m_value->setObjectName("bigValue");
    m_value->setAccessibleName(tr("value of the large plot"));
    for (const Value& value : values())
        m_value->addItem(tr(value.title));
    m_smoothing->setRange(0, 99);
    m_smoothing->setValue(80);
    m_smoothing->setMaximumWidth(120);
    m_smoothing->setToolTip(tr("Exponential average; the raw curve stays visible behind it"));
    m_smoothing->setObjectName("smoothing");
    m_smoothing->setAccessibleName(tr("smoothing"));
    m_note->setProperty("role", "secondary");
    auto* logX = new QCheckBox(tr("log x"));
    auto* logY = new QCheckBox(tr("log y"));
    logX->setObjectName("logX");
    logY->setObjectName("logY");
    m_bands->setText(tr("mean ± range"));
    m_bands->setCheckable(true);
    m_bands->setChecked(true);
    m_bands->setAutoRaise(true);
    m_bands->setToolTip(tr("Mean of the seeds at the steps that all of them share, and the range between the least and the greatest"));

    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(12, 0, 12, 0);
    tools->setSpacing(8);
    tools->addWidget(m_value);
    tools->addWidget(new QLabel(tr("over")));
    tools->addWidget(m_xAxis);
    tools->addSpacing(12);
    tools->addWidget(logX);
    tools->addWidget(logY);
    tools->addSpacing(12);
    tools->addWidget(new QLabel(tr("smoothing")));
    tools->addWidget(m_smoothing);
    tools->addWidget(m_bands);
    tools->addStretch();
    tools->addWidget(m_note);

    auto* splitter = new QSplitter(Qt::Horizontal);
    auto* column = new QSplitter(Qt::Vertical);
    for (std::size_t i = 0; i < values().size(); ++i) {
        auto* plot = new CurvePlot;
        plot->setObjectName(QStringLiteral("plot%1").arg(i));
        plot->setTitle(tr(values()[i].title));
        plot->setAxisTitles(i == 0 ? tr("step") : QString(), tr(i == 0 ? values()[i].title : values()[i].shortTitle));
        plot->setValueName(tr(values()[i].title));
        plot->setLogY(values()[i].logY);
        m_panels.push_back({plot, values()[i].member});
        (i == 0 ? splitter : column)->addWidget(plot);
        connect(plot, &CurvePlot::curveClicked, this, [this](const QString& id) { m_context.filter.selectRun(id.section('\n', 0, 0)); });
        connect(plot, &CurvePlot::failed, this, &Page::failed);
        connect(plot, &CurvePlot::exported, this, [this](const QString& file) { Q_EMIT noted(tr("Wrote %1").arg(file)); });
    }
    splitter->addWidget(column);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({900, 320});
    auto* body = new QWidget;
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(0, 4, 4, 4);
    bodyLayout->addLayout(tools);
    auto* strip = new LiveStrip(m_context);
    bodyLayout->addWidget(strip);
    connect(strip, &LiveStrip::noticed, this, &Page::failed);
    bodyLayout->addWidget(splitter, 1);
    auto* empty = new widgets::EmptyState(tr("Here the loss of every run grows step by step, seed beside seed."), tr("Plan runs"));
    m_stack->addWidget(empty);
    m_stack->addWidget(body);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    connect(empty, &widgets::EmptyState::activated, this, [this] { Q_EMIT pageWanted("design"); });
    connect(logX, &QCheckBox::toggled, this, [this](bool on) {
        for (auto& panel : m_panels)
            panel.plot->setLogX(on);
    });
    connect(logY, &QCheckBox::toggled, m_panels[0].plot, &CurvePlot::setLogY);
    connect(m_smoothing, &QSlider::valueChanged, this, [this](int value) {
        m_panels[0].plot->setSmoothing(value / 100.0);
        m_thin.clear();
        m_bandTimer.start(kBandMilliseconds);
    });
    for (std::size_t i = 0; i < m_panels.size(); ++i)
        m_panels[i].plot->setSmoothing(smoothingOf(i));
    connect(m_value, &QComboBox::activated, this, [this](int index) {
        // The chosen value takes the large place; what was there goes where it came from.
        m_panels[0].member = values()[static_cast<std::size_t>(index)].member;
        m_panels[0].plot->setTitle(tr(values()[static_cast<std::size_t>(index)].title));
        m_panels[0].plot->setValueName(tr(values()[static_cast<std::size_t>(index)].title));
        m_panels[0].plot->yAxis->setLabel(tr(values()[static_cast<std::size_t>(index)].title));
        reload();
    });
    connect(m_xAxis, &QComboBox::activated, this, [this](int index) {
        m_x = static_cast<X>(index);
        applyX();
    });
    connect(m_bands, &QToolButton::toggled, this, &TrainPage::reload);
    m_bandTimer.setSingleShot(true);
    connect(&m_bandTimer, &QTimer::timeout, this, &TrainPage::updateBands);

    auto& study = m_context.study;
    connect(&study, &bridge::Study::opened, this, &TrainPage::reload);
    connect(&study, &bridge::Study::closed, this, &TrainPage::reload);
    connect(&study, &bridge::Study::rowsChanged, this, &TrainPage::want);
    connect(&study, &bridge::Study::runsRemoved, this, &TrainPage::reload);
    connect(&study, &bridge::Study::stepsLoaded, this, &TrainPage::showRun);
    connect(&study, &bridge::Study::evalsLoaded, this, &TrainPage::showRun);
    connect(&study, &bridge::Study::stepsAppended, this, &TrainPage::appendRun);
    connect(&m_context.filter, &FilterState::changed, this, &TrainPage::reload);
    connect(&m_context.filter, &FilterState::choicesChanged, this, &TrainPage::reload);
    connect(&m_context.filter, &FilterState::selectedRunChanged, this, [this](const QString& run) {
        for (auto& panel : m_panels)
            panel.plot->setHighlighted(run);
    });
}

void TrainPage::reload()
{
    if (m_context.study.isOpen())
        for (auto& panel : m_panels)
            panel.plot->setCommand(bridge::shellCommand({"report", m_context.study.folder(), "--out", "report"}));
    for (auto& panel : m_panels)
        panel.plot->clearCurves();
    m_shown.clear();
    m_last.clear();
    m_thin.clear();
    m_staleThin.clear();
    m_cut = false;
    want();
}

void TrainPage::want()
{
    for (const auto& [run, row] : m_context.study.rows()) {
        if (m_shown.contains(run) || !m_context.filter.isShown(QString::fromStdString(row.arm), row.seed))
            continue;
        if (m_shown.size() >= kMostRuns) {
            m_cut = true;
            break;
        }
        m_shown.insert(run);
        m_context.study.wantSteps(run);
        m_context.study.wantEvals(run);
        if (m_context.study.steps(run))
            showRun(run);
    }
    m_stack->setCurrentIndex(!m_context.study.rows().empty());
    updateNote();
}

void TrainPage::updateNote()
{
    m_note->setText(m_cut ? tr("%1 of %2 runs drawn; choose arms and seeds above").arg(m_shown.size()).arg(m_context.study.rows().size()) : QString());
}

double TrainPage::xOf(const StepRecord& s, double wallOffset) const
{
    switch (m_x) {
    case X::Tokens: return static_cast<double>(s.tokens);
    case X::Active: return s.active;
    case X::Wall: return s.t + wallOffset;
    default: return static_cast<double>(s.step);
    }
}

void TrainPage::applyX()
{
    static const char* kTitles[] = {QT_TR_NOOP("step"), QT_TR_NOOP("tokens"), QT_TR_NOOP("active time (s)"), QT_TR_NOOP("wall clock (s)")};
    m_panels[0].plot->setAxisTitles(tr(kTitles[static_cast<int>(m_x)]), m_panels[0].plot->yAxis->label());
    reload();
}

void TrainPage::restyleRun(const QString& run)
{
    const auto* row = m_context.study.row(run);
    if (!row)
        return;
    CurveStyle style;
    style.arm = m_context.filter.armIndex(QString::fromStdString(row->arm));
    style.label = tr("%1 · seed %2").arg(QString::fromStdString(row->arm)).arg(row->seed);
    // Many curves are a texture behind the means; few are read one by one.
    const double crowd = static_cast<double>(m_shown.size());
    style.alpha = m_bands->isChecked() ? std::clamp(5 / crowd, 0.2, 0.45) : std::clamp(12 / crowd, 0.35, 0.8);
    style.width = 1;
    CurveStyle orphan = style;
    orphan.dimmed = true;
    orphan.inReadout = false;
    for (auto& panel : m_panels) {
        panel.plot->setCurve(run, style);
        panel.plot->setCurve(run + "\norphans", orphan);
    }
}

void TrainPage::showRun(const QString& run)
{
    const auto* steps = m_context.study.steps(run);
    if (!steps || !m_shown.contains(run))
        return;
    restyleRun(run);
    m_staleThin.insert(run);
    const model::Branches branches = model::branches(*steps);
    // The wall clock of an attempt starts at zero: later attempts go on where the one before ended.
    std::map<int, double> offsets;
    double end = 0;
    for (const auto& s : *steps) {
        if (!offsets.contains(s.attempt))
            offsets[s.attempt] = end;
        end = std::max(end, offsets[s.attempt] + s.t);
    }
    m_wallOffset[run] = steps->empty() ? 0 : offsets[steps->back().attempt];
    const auto curveOf = [&](const std::vector<StepRecord>& list, double StepRecord::* member) {
        model::Curve curve;
        curve.x.reserve(list.size());
        curve.y.reserve(list.size());
        for (const auto& s : list) {
            curve.x.push_back(xOf(s, offsets[s.attempt]));
            curve.y.push_back(s.*member);
        }
        return curve;
    };
    for (auto& panel : m_panels) {
        if (panel.member) {
            panel.plot->replaceData(run, curveOf(branches.live, panel.member));
            panel.plot->replaceData(run + "\norphans", curveOf(branches.orphans, panel.member));
            continue;
        }
        // Validation losses come with the evaluations; their x is that of the step they were made at.
        model::Curve curve;
        for (const auto& [step, loss] : validationLosses(run)) {
            const auto at = std::lower_bound(branches.live.begin(), branches.live.end(), step, [](const StepRecord& s, std::int64_t v) { return s.step < v; });
            if (m_x == X::Step)
                curve.x.push_back(static_cast<double>(step));
            else if (at != branches.live.end())
                curve.x.push_back(xOf(*at, offsets[at->attempt]));
            else
                continue;
            curve.y.push_back(loss);
        }
        panel.plot->replaceData(run, curve);
    }
    if (!steps->empty())
        m_last[run] = {steps->back().attempt, steps->back().step};
    m_bandTimer.start(kBandMilliseconds);
    if (m_context.filter.selectedRun() == run)
        for (auto& panel : m_panels)
            panel.plot->setHighlighted(run);
}

void TrainPage::appendRun(const QString& run, const std::vector<StepRecord>& steps)
{
    if (!m_shown.contains(run) || steps.empty())
        return;
    const auto last = m_last.find(run);
    if (last == m_last.end() || steps.front().attempt != last->second.first || steps.front().step <= last->second.second) {
        showRun(run);  // a new attempt: branches have to be told apart anew
        return;
    }
    std::vector<double> x;
    for (const auto& s : steps)
        x.push_back(xOf(s, m_wallOffset[run]));
    for (auto& panel : m_panels) {
        if (!panel.member)
            continue;
        std::vector<double> y;
        for (const auto& s : steps)
            y.push_back(s.*(panel.member));
        panel.plot->append(run, x, y);
    }
    m_staleThin.insert(run);
    last->second = {steps.back().attempt, steps.back().step};
    if (!m_bandTimer.isActive())
        m_bandTimer.start(kBandMilliseconds);
}

}  // namespace holo::shell
