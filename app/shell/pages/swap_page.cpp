#include "app/shell/pages/swap_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/study.h"
#include "app/shell/filter_state.h"
#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/model/needle_grid.h"
#include "core/model/run_events.h"
#include "widgets/common/empty_state.h"
#include "widgets/common/format.h"
#include "widgets/common/icon_button.h"
#include "widgets/common/icons.h"
#include "widgets/editors/scheme_parameters.h"
#include "widgets/plots/accuracy_plot.h"
#include "widgets/plots/axis_tickers.h"
#include "widgets/plots/heatmap_plot.h"

namespace holo::shell {

using namespace widgets;

SwapPage::SwapPage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_run(new QComboBox)
    , m_scheme(new SchemeParameters)
    , m_heads(new QComboBox)
    , m_planes(new QLineEdit)
    , m_sweep(new QComboBox)
    , m_trials(new QSpinBox)
    , m_button(new QPushButton(tr("Swap and evaluate")))
    , m_progress(new QProgressBar)
    , m_command(new QLineEdit)
    , m_summary(new QLabel)
    , m_stack(new QStackedWidget)
    , m_before(new HeatmapPlot)
    , m_after(new HeatmapPlot)
    , m_difference(new HeatmapPlot)
    , m_distance(new AccuracyPlot)
    , m_sweepPlot(new AccuracyPlot)
    , m_sweepTicker(QSharedPointer<CategoryTicker>::create())
{
    m_run->setObjectName("swapRun");
    m_run->setAccessibleName(tr("checkpoint of run"));
    m_heads->setObjectName("swapHeads");
    m_heads->setEditable(true);
    m_heads->addItems({"special", "all"});
    m_heads->setToolTip(tr("special, all, or a list such as 0:1,1:3 (layer:head)"));
    m_planes->setPlaceholderText(tr("all"));
    m_planes->setToolTip(tr("Planes A:B, for a partial swap"));
    m_sweep->setObjectName("swapSweep");
    for (const auto& [word, value] : {std::pair(tr("none"), ""), std::pair(tr("plane by plane"), "planes"), std::pair(tr("head by head"), "heads"), std::pair(tr("layer by layer"), "layers"), std::pair(tr("θ from old to new"), "lambda")})
        m_sweep->addItem(word, QString::fromLatin1(value));
    m_sweep->setToolTip(tr("Besides the whole swap, one part at a time; θ from old to new moves every angle from the trained one (λ = 0) to the new one (λ = 1)"));
    m_trials->setRange(1, 100000);
    m_trials->setValue(50);
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(6);
    m_progress->hide();
    m_command->setReadOnly(true);
    m_command->setAccessibleName(tr("command"));
    QFont mono("monospace");
    mono.setStyleHint(QFont::Monospace);
    m_command->setFont(mono);
    auto* copy = iconButton("copy", tr("Copy the command"));
    m_button->setObjectName("runSwap");
    m_button->setIcon(icon("swap"));
    m_scheme->setScheme({ladder::Kind::Standard, {}, {}});

    auto* left = new QWidget;
    auto* leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(12, 4, 8, 8);
    auto* form = new QFormLayout;
    form->addRow(tr("checkpoint"), m_run);
    leftLayout->addLayout(form);
    auto* heading = new QLabel(tr("Swap in"));
    heading->setProperty("role", "heading");
    leftLayout->addWidget(heading);
    leftLayout->addWidget(m_scheme);
    auto* more = new QFormLayout;
    more->addRow(tr("heads"), m_heads);
    more->addRow(tr("planes"), m_planes);
    more->addRow(tr("sweep"), m_sweep);
    more->addRow(tr("trials a cell"), m_trials);
    leftLayout->addLayout(more);
    leftLayout->addSpacing(8);
    leftLayout->addWidget(m_button);
    leftLayout->addWidget(m_progress);
    auto* line = new QHBoxLayout;
    line->addWidget(m_command, 1);
    line->addWidget(copy);
    leftLayout->addLayout(line);
    auto* hint = new QLabel(tr("The weights stay as they are and no file of the run is touched: only the angles change."));
    hint->setWordWrap(true);
    hint->setProperty("role", "secondary");
    leftLayout->addWidget(hint);
    leftLayout->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(left);
    scroll->setWidgetResizable(true);
    scroll->setMinimumWidth(280);

    m_before->setCaption(tr("before"));
    m_after->setCaption(tr("after"));
    m_difference->setCaption(tr("after − before, hatched: within noise"));
    m_before->setObjectName("swapBefore");
    m_after->setObjectName("swapAfter");
    m_difference->setObjectName("swapDifference");
    m_distance->setXTitle(tr("distance from needle to question (tokens)"));
    m_distance->setTitle(tr("accuracy by distance before and after"));
    auto* maps = new QSplitter(Qt::Horizontal);
    for (auto* plot : {m_before, m_after, m_difference}) {
        maps->addWidget(plot);
        connect(plot, &Plot::failed, this, &Page::failed);
    }
    m_before->setScaleVisible(false);  // the same as that of "after"
    m_difference->setDifferenceTitle(tr("after − before (points)"));
    maps->setSizes({300, 360, 360});
    maps->setChildrenCollapsible(false);
    m_summary->setWordWrap(true);
    m_summary->setContentsMargins(12, 4, 12, 4);
    auto* lower = new QWidget;
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(0, 0, 0, 0);
    lowerLayout->addWidget(m_summary);
    m_sweepPlot->setObjectName("swapSweepPlot");
    m_sweepPlot->setTitle(tr("accuracy, one part swapped at a time"));
    m_sweepPlot->xAxis->setTicker(m_sweepTicker);
    connect(m_sweepPlot, &Plot::failed, this, &Page::failed);
    connect(m_distance, &Plot::failed, this, &Page::failed);
    auto* curves = new QSplitter(Qt::Horizontal);
    curves->addWidget(m_distance);
    curves->addWidget(m_sweepPlot);
    curves->setSizes({500, 500});
    curves->setChildrenCollapsible(false);
    m_sweepPlot->hide();
    lowerLayout->addWidget(curves, 1);
    auto* results = new QSplitter(Qt::Vertical);
    results->addWidget(maps);
    results->addWidget(lower);
    results->setSizes({360, 260});
    m_stack->addWidget(new EmptyState(tr("Here stands what a trained model loses when its ladder is replaced: before, after, and where the difference lies.")));
    m_stack->addWidget(results);
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(scroll);
    splitter->addWidget(m_stack);
    splitter->setSizes({320, 900});
    splitter->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 4, 4);
    layout->addWidget(splitter);

    connect(copy, &QToolButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_command->text());
        Q_EMIT noted(tr("Command copied"));
    });
    connect(m_button, &QPushButton::clicked, this, &SwapPage::run);
    connect(m_run, &QComboBox::activated, this, [this] {
        m_context.filter.selectRun(m_run->currentData().toString());
        updateCommand();
    });
    connect(m_scheme, &SchemeParameters::edited, this, &SwapPage::updateCommand);
    connect(m_heads, &QComboBox::currentTextChanged, this, &SwapPage::updateCommand);
    connect(m_planes, &QLineEdit::textChanged, this, &SwapPage::updateCommand);
    connect(m_sweep, &QComboBox::activated, this, &SwapPage::updateCommand);
    connect(m_trials, &QSpinBox::valueChanged, this, &SwapPage::updateCommand);
    connect(&m_call, &bridge::EngineCall::finished, this, [this](const Json& document) {
        m_progress->hide();
        m_button->setText(tr("Swap and evaluate"));
        showDocument(document);
    });
    connect(&m_call, &bridge::EngineCall::failed, this, [this](const QString& sentence) {
        m_progress->hide();
        m_button->setText(tr("Swap and evaluate"));
        Q_EMIT failed(sentence);
    });
    connect(&m_context.filter, &FilterState::selectedRunChanged, this, [this](const QString& run) {
        const int at = m_run->findData(run);
        if (at >= 0)
            m_run->setCurrentIndex(at);
        updateCommand();
    });
    connect(&m_context.study, &bridge::Study::opened, this, &SwapPage::updateRuns);
    connect(&m_context.study, &bridge::Study::rowsChanged, this, &SwapPage::updateRuns);
    connect(&m_context.study, &bridge::Study::closed, this, &SwapPage::updateRuns);
    updateRuns();
}

void SwapPage::updateRuns()
{
    const QString current = m_run->currentData().toString();
    QStringList runs;
    for (const auto& [id, row] : m_context.study.rows())
        if (row.checkpoints > 0)
            runs << id;
    QStringList known;
    for (int i = 0; i < m_run->count(); ++i)
        known << m_run->itemData(i).toString();
    if (runs != known) {
        m_run->clear();
        for (const QString& run : runs) {
            const auto* row = m_context.study.row(run);
            m_run->addItem(tr("%1 · seed %2").arg(QString::fromStdString(row->arm)).arg(row->seed), run);
        }
        m_run->setCurrentIndex(std::max(0, m_run->findData(current)));
    }
    m_button->setEnabled(m_run->count() > 0 || m_call.isRunning());
    updateCommand();
}

QStringList SwapPage::arguments() const
{
    QStringList list{"swap", m_context.study.runFolder(m_run->currentData().toString()), "--to", QString::fromStdString(config::shortForm(m_scheme->scheme())), "--heads", m_heads->currentText(),
        "--trials", QString::number(m_trials->value())};
    if (!m_planes->text().trimmed().isEmpty())
        list << "--planes" << m_planes->text().trimmed();
    if (const QString sweep = m_sweep->currentData().toString(); !sweep.isEmpty())
        list << "--sweep" << sweep;
    return list;
}

void SwapPage::updateCommand()
{
    m_command->setText(m_run->count() > 0 ? bridge::shellCommand(arguments()) : tr("no run has a checkpoint yet"));
    m_command->setCursorPosition(0);
}

void SwapPage::run()
{
    if (m_call.isRunning()) {
        m_call.cancel();
        return;
    }
    m_progress->show();
    m_button->setText(tr("Stop"));
    m_call.start(arguments(), m_context.study.folder());
}

void SwapPage::showSweep(const Json& document)
{
    const auto it = document.find("sweep");
    m_sweepPlot->setVisible(it != document.end());
    if (it == document.end())
        return;
    const auto over = it->at("over").get<std::string>();
    AccuracySeries after{over == "lambda" ? tr("θ moved") : tr("this part swapped alone"), 1, true, {}};
    AccuracySeries before{tr("before"), 0, false, {}};
    QStringList names;
    for (const Json& row : it->at("rows")) {
        names << (over == "lambda" ? QString::number(toDouble(row.at("lambda"), "lambda")) : over == "planes" ? QString::number(row.at("plane").get<int>())
                : over == "heads"  ? QStringLiteral("%1:%2").arg(row.at("layer").get<int>()).arg(row.at("head").get<int>())
                                   : QString::number(row.at("layer").get<int>()));
        const double trials = toDouble(row.at("trials"), "trials");
        const auto point = [&](const char* key) {
            const double share = toDouble(row.at(key), key);
            const auto w = model::wilson(share * trials, trials);
            return AccuracyPoint{static_cast<double>(names.size() - 1), share, w.low, w.high, trials};
        };
        after.points.push_back(point("exact_after"));
        before.points.push_back(point("exact_before"));
    }
    m_sweepTicker->setNames(names);
    m_sweepPlot->setXTitle(over == "lambda" ? tr("λ: θ from the trained ladder (0) to the new one (1)") : over == "planes" ? tr("plane") : over == "heads" ? tr("layer:head") : tr("layer"));
    m_sweepPlot->setSeries({before, after});
}

void SwapPage::showDocument(const Json& document)
{
    try {
        const auto before = model::needleGrid(document.at("before"), "swap: before");
        const auto after = model::needleGrid(document.at("after"), "swap: after");
        m_before->setGrid(before);
        m_after->setGrid(after);
        m_before->setCaption(tr("before · %1 %").arg(100 * before.mean, 0, 'f', 1));
        m_after->setCaption(tr("after · %1 %").arg(100 * after.mean, 0, 'f', 1));
        auto difference = model::difference(after, before);
        // The prompts are the same, so the verb's paired test decides where it is given (exact McNemar).
        if (const auto it = document.find("difference"); it != document.end() && it->is_array())
            for (const Json& entry : *it) {
                const auto p = entry.find("p_mcnemar");
                const double depth = toDouble(entry.value("depth", Json(0)), "depth");
                const auto row = std::find(difference.depths.begin(), difference.depths.end(), depth);
                const auto column = std::find(difference.lengths.begin(), difference.lengths.end(), entry.value("length", std::int64_t(0)));
                if (p != entry.end() && p->is_number() && row != difference.depths.end() && column != difference.lengths.end())
                    difference.noise[static_cast<std::size_t>(row - difference.depths.begin()) * difference.lengths.size() + static_cast<std::size_t>(column - difference.lengths.begin())] = p->get<double>() >= 0.05;
            }
        m_difference->setDifference(difference);
        std::vector<AccuracySeries> series;
        for (const auto& [grid, label, dashed] : {std::tuple(&before, tr("before"), false), std::tuple(&after, tr("after"), true)}) {
            AccuracySeries s{label, dashed ? 1 : 0, dashed, {}};
            for (const auto& bin : grid->byDistance) {
                const auto trials = static_cast<double>(bin.trials);
                const auto w = model::wilson(bin.accuracy * trials, trials);
                s.points.push_back({bin.delta, bin.accuracy, w.low, w.high, trials});
            }
            series.push_back(std::move(s));
        }
        m_distance->setChance(std::isfinite(before.chance) ? before.chance : 0);
        m_distance->setSeries(series);
        showSweep(document);
        QString text = tr("Retrieval %1 % → %2 %").arg(formatPercent(before.mean), formatPercent(after.mean));
        if (const auto it = document.find("perplexity"); it != document.end() && it->is_object() && it->contains("before") && it->contains("after")) {
            const auto ppl = [](const Json& value) {
                if (value.is_number())
                    return value.get<double>();
                const auto rows = value.is_object() ? value.find("rows") : value.end();
                return value.is_object() && rows != value.end() && rows->is_array() && !rows->empty() && rows->back().contains("ppl") ? toDouble(rows->back().at("ppl"), "ppl") : model::kMissing;
            };
            text += tr("  ·  perplexity %1 → %2").arg(formatValue(ppl(it->at("before"))), formatValue(ppl(it->at("after"))));
        }
        m_summary->setText(text);
        for (Plot* plot : std::initializer_list<Plot*>{m_before, m_after, m_difference, m_distance, m_sweepPlot})
            plot->setCommand(m_command->text());
        m_stack->setCurrentIndex(1);
    } catch (const std::exception& error) {
        Q_EMIT failed(tr("The answer of the swap could not be read: %1").arg(QString::fromUtf8(error.what())));
    }
}

}  // namespace holo::shell
