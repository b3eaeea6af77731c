#include "app/shell/pages/reliability_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "app/shell/pages/power_planner.h"
#include "app/shell/pages/reliability_tables.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "widgets/common/empty_state.h"
#include "widgets/models/table_model.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/strip_plot.h"

namespace holo::shell {

using namespace widgets;

namespace {

struct Metric {
    const char* key;
    const char* title;
    double model::RunRow::* member;
    bool isShare;
    bool lowerIsBetter;
};
const std::vector<Metric>& metrics()
{
    static const std::vector<Metric> list = {
        {"needle", QT_TRANSLATE_NOOP("Metric", "needle, mean of cells (%)"), &model::RunRow::needle, true, false},
        {"worst", QT_TRANSLATE_NOOP("Metric", "needle, worst cell (%)"), &model::RunRow::worst, true, false},
        {"perplexity", QT_TRANSLATE_NOOP("Metric", "perplexity"), &model::RunRow::perplexity, false, true},
        {"val_loss", QT_TRANSLATE_NOOP("Metric", "validation loss (nats/token)"), &model::RunRow::valLoss, false, true},
        {"loss", QT_TRANSLATE_NOOP("Metric", "training loss (nats/token)"), &model::RunRow::loss, false, true},
    };
    return list;
}

QTableView* tableView(TableModel* model, const char* name)
{
    auto* view = new QTableView;
    view->setModel(model);
    view->setObjectName(name);
    view->verticalHeader()->hide();
    view->setShowGrid(false);
    view->setWordWrap(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->horizontalHeader()->setStretchLastSection(true);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    return view;
}

}  // namespace

ReliabilityPage::ReliabilityPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_work(this)
    , m_stack(new QStackedWidget)
    , m_metric(new QComboBox)
    , m_strips(new StripPlot)
    , m_emergence(new AccuracyPlot)
    , m_groups(new TableModel(this))
    , m_tests(new TableModel(this))
    , m_groupView(tableView(m_groups, "groupTable"))
    , m_testView(tableView(m_tests, "testTable"))
    , m_reading(new QLabel)
    , m_notes(new QLabel)
{
    m_metric->setObjectName("metric");
    m_metric->setAccessibleName(tr("what is compared"));
    m_groupView->setAccessibleName(tr("arms: mean and spread over seeds"));
    m_testView->setAccessibleName(tr("tests"));
    for (const Metric& metric : metrics())
        m_metric->addItem(tr(metric.title));
    auto* paired = new QCheckBox(tr("join equal seeds"));
    paired->setChecked(true);
    paired->setToolTip(tr("Arms share initial weights and data order of a seed, so its dots are a pair"));
    m_reading->setWordWrap(true);
    m_reading->setProperty("role", "heading");
    m_notes->setWordWrap(true);
    m_notes->setProperty("role", "secondary");
    m_strips->setObjectName("strips");
    m_emergence->setObjectName("emergence");
    m_emergence->setTitle(tr("emergence"));
    m_emergence->setXTitle(tr("step"));
    m_emergence->setSteps(true);
    m_emergence->yAxis->setLabel(tr("seeds that have learned it (%)"));
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(12, 0, 12, 0);
    tools->addWidget(m_metric);
    tools->addWidget(paired);
    tools->addStretch();

    auto* tables = new QTabWidget;
    tables->setDocumentMode(true);
    tables->addTab(m_groupView, tr("arms"));
    tables->addTab(m_testView, tr("tests"));
    auto* words = new QWidget;
    auto* wordsLayout = new QVBoxLayout(words);
    wordsLayout->setContentsMargins(12, 4, 12, 0);
    wordsLayout->addWidget(m_reading);
    wordsLayout->addWidget(m_notes);
    auto* lower = new QWidget;
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(0, 0, 0, 0);
    lowerLayout->addWidget(words);
    lowerLayout->addWidget(tables, 1);
    lowerLayout->addWidget(new PowerPlanner(m_context));
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(m_strips);
    upper->addWidget(m_emergence);
    upper->setSizes({640, 420});
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setSizes({380, 320});
    splitter->setChildrenCollapsible(false);
    auto* body = new QWidget;
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(0, 4, 4, 4);
    bodyLayout->addLayout(tools);
    bodyLayout->addWidget(splitter, 1);
    auto* empty = new EmptyState(tr("Here stands how far the seeds of an arm lie apart, which one is worst, and whether that is more than chance."), tr("Plan runs"));
    m_stack->addWidget(empty);
    m_stack->addWidget(body);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);

    m_timer.setSingleShot(true);
    m_timer.setInterval(150);
    connect(&m_timer, &QTimer::timeout, this, &ReliabilityPage::recompute);
    connect(empty, &EmptyState::activated, this, [this] { Q_EMIT pageWanted("design"); });
    connect(m_metric, &QComboBox::activated, this, &ReliabilityPage::later);
    connect(paired, &QCheckBox::toggled, m_strips, &StripPlot::setPaired);
    connect(m_strips, &StripPlot::runClicked, this, [this](const QString& run) { m_context.filter.selectRun(run); });
    connect(m_strips, &Plot::failed, this, &Page::failed);
    connect(m_emergence, &Plot::failed, this, &Page::failed);
    connect(&m_context.filter, &FilterState::selectedRunChanged, m_strips, &StripPlot::setSelected);
    connect(&m_context.filter, &FilterState::changed, this, &ReliabilityPage::later);
    connect(&m_context.filter, &FilterState::choicesChanged, this, &ReliabilityPage::later);
    connect(&m_context.study, &bridge::Study::opened, this, &ReliabilityPage::want);
    connect(&m_context.study, &bridge::Study::rowsChanged, this, &ReliabilityPage::later);
    connect(&m_context.study, &bridge::Study::runsRemoved, this, &ReliabilityPage::later);
    connect(&m_context.study, &bridge::Study::closed, this, &ReliabilityPage::later);
    connect(&m_context.study, &bridge::Study::evalsLoaded, this, &ReliabilityPage::later);
}

void ReliabilityPage::want()
{
    for (const auto& [run, row] : m_context.study.rows())
        if (row.evals > 0)
            m_context.study.wantEvals(run);
    later();
}

void ReliabilityPage::later()
{
    m_stale = true;
    if (isVisible())
        m_timer.start();
}

void ReliabilityPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    if (m_stale)
        recompute();
}

stats::StatisticsInput ReliabilityPage::input() const
{
    const Metric& metric = metrics()[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))];
    stats::StatisticsInput input;
    input.metric = metric.key;
    input.lowerIsBetter = metric.lowerIsBetter;
    for (const QString& arm : m_context.filter.arms()) {
        if (!m_context.filter.isShown(arm))
            continue;
        stats::ArmScores scores;
        scores.arm = arm.toStdString();
        std::set<std::int64_t> seen;
        for (const auto& [run, row] : m_context.study.rows()) {
            // A run counts once it has arrived; a running one would be judged by half a training.
            if (row.arm != scores.arm || !m_context.filter.isShown(row.seed) || row.state != "done" || !std::isfinite(row.*(metric.member)) || !seen.insert(row.seed).second)
                continue;
            scores.values.push_back(row.*(metric.member));
            scores.seeds.push_back(row.seed);
            scores.perplexities.push_back(row.perplexity);
            std::vector<stats::SeriesPoint> series;
            double trials = 0;
            if (const auto* evals = m_context.study.evals(run); evals && metric.isShare)
                for (const auto& eval : *evals)
                    if (eval.row.protocol == "needle" && !eval.row.swapped && eval.row.step >= 0) {
                        series.push_back({static_cast<double>(eval.row.step), eval.row.mean});
                        trials = 0;
                        for (const auto& cell : eval.grid.cells)
                            trials += cell ? static_cast<double>(cell->trials) : 0;
                    }
            scores.series.push_back(series);
            scores.budgets.push_back(static_cast<double>(row.totalSteps > 0 ? row.totalSteps : row.step));
            scores.trials.push_back(trials);
        }
        const bool hasTrials = metric.member == &model::RunRow::needle && std::all_of(scores.trials.begin(), scores.trials.end(), [](double t) { return t > 1; });
        if (!hasTrials)
            scores.trials.clear();
        if (!metric.isShare) {
            scores.series.clear();
            scores.budgets.clear();
        }
        input.arms.push_back(std::move(scores));
    }
    return input;
}

void ReliabilityPage::recompute()
{
    const Metric& metric = metrics()[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))];
    for (Plot* plot : std::initializer_list<Plot*>{m_strips, m_emergence})
        plot->setCommand(m_context.study.isOpen() ? bridge::shellCommand({"stats", m_context.study.folder(), "--metric", metric.key}) : QString());
    m_stack->setCurrentIndex(!m_context.study.rows().empty());
    m_stale = false;
    auto in = input();
    // A running project changes its rows five times a second, what is compared here only when a run ends.
    std::string signature = metric.key;
    for (const auto& scores : in.arms) {
        signature += '|' + scores.arm;
        for (std::size_t i = 0; i < scores.values.size(); ++i)
            signature += ' ' + std::to_string(scores.seeds[i]) + '=' + formatDouble(scores.values[i]) + '/' + std::to_string(i < scores.series.size() ? scores.series[i].size() : 0);
    }
    if (signature == m_signature)
        return;
    m_signature = signature;
    // The dots are there at once; the tests follow when they are computed.
    std::vector<StripGroup> groups;
    for (const auto& scores : in.arms) {
        StripGroup group;
        group.arm = QString::fromStdString(scores.arm);
        group.armIndex = m_context.filter.armIndex(group.arm);
        double sum = 0;
        for (std::size_t i = 0; i < scores.values.size(); ++i) {
            const auto* row = m_context.study.find(group.arm, scores.seeds[i]);
            group.dots.push_back({row ? QString::fromStdString(row->id) : QString(), scores.seeds[i], scores.values[i]});
            sum += scores.values[i];
        }
        std::sort(group.dots.begin(), group.dots.end(), [](const StripDot& a, const StripDot& b) { return a.seed < b.seed; });
        group.mean = group.dots.empty() ? model::kMissing : sum / static_cast<double>(group.dots.size());
        group.sd = model::kMissing;
        if (group.dots.size() > 1) {
            double squares = 0;
            for (const auto& dot : group.dots)
                squares += (dot.value - group.mean) * (dot.value - group.mean);
            group.sd = std::sqrt(squares / static_cast<double>(group.dots.size() - 1));
        }
        groups.push_back(std::move(group));
    }
    m_strips->setGroups(groups, tr(metric.title), metric.isShare);
    std::erase_if(in.arms, [](const auto& arm) { return arm.values.empty(); });
    if (in.arms.empty()) {
        m_work.cancel();
        m_reading->setText(tr("No run has been finished and evaluated yet."));
        m_notes->clear();
        m_groups->setTable({}, {});
        m_tests->setTable({}, {});
        m_emergence->setSeries({});
        return;
    }
    m_work.start(
        [in = std::move(in)] {
            Answer answer;
            try {
                answer.table = stats::statisticsTable(in);
            } catch (const std::exception& error) {
                answer.problem = QString::fromUtf8(error.what());
            }
            return answer;
        },
        [this](const Answer& answer) { show(answer); });
}

void ReliabilityPage::show(const Answer& answer)
{
    if (!answer.problem.isEmpty()) {
        m_reading->setText(answer.problem);
        return;
    }
    const Metric& metric = metrics()[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))];
    const double scale = metric.isShare ? 100 : 1;
    const auto& table = answer.table;
    m_reading->setText(QString::fromStdString(table.reading));
    QStringList notes;
    for (const auto& note : table.notes)
        notes << QString::fromStdString(note);
    m_notes->setText(notes.join(' '));
    m_notes->setVisible(!notes.isEmpty());
    showGroups(*m_groups, table, scale, [this](const QString& arm) { return m_context.filter.armIndex(arm); });
    showTests(*m_tests, table);
    for (auto* view : {m_groupView, m_testView})
        view->resizeColumnsToContents();
    std::vector<AccuracySeries> series;
    for (const auto& e : table.emergence) {
        const QString arm = QString::fromStdString(e.arm);
        AccuracySeries s{arm, m_context.filter.armIndex(arm), false, {}};
        AccuracyPoint last{0, 0, 0, 0, static_cast<double>(e.n)};
        s.points.push_back(last);
        for (const auto& p : e.curve) {  // a step function: level until the event, then up
            last.x = p.step;
            s.points.push_back(last);
            last = {p.step, p.emerged, p.interval.lo, p.interval.hi, static_cast<double>(e.n)};
            s.points.push_back(last);
        }
        if (e.horizon > last.x) {
            last.x = e.horizon;
            s.points.push_back(last);
        }
        if (e.n > 0)
            series.push_back(std::move(s));
    }
    m_emergence->setSeries(series);
    if (series.empty())
        m_emergence->setMessage(tr("emergence needs evaluations during training"));
}

}  // namespace holo::shell
