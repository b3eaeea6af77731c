#include "app/shell/pages/compare_page.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/study.h"
#include "app/shell/drop_well.h"
#include "app/shell/filter_state.h"
#include "app/shell/pages/weights_panel.h"
#include "core/base/error.h"
#include "core/ladder/description.h"
#include "widgets/common/empty_state.h"
#include "widgets/common/format.h"
#include "widgets/models/table_model.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/heatmap_plot.h"
#include "widgets/plots/kernel_plot.h"
#include "widgets/plots/scale_bar.h"

namespace holo::shell {

using namespace widgets;

ComparePage::ComparePage(Context& context, QWidget* parent)
    : Page(context, parent)
    , m_wells{new DropWell("A"), new DropWell("B")}
    , m_readers{bridge::Background(this), bridge::Background(this)}
    , m_stack(new QStackedWidget)
    , m_maps{new HeatmapPlot, new HeatmapPlot, new HeatmapPlot}
    , m_curves(new CurvePlot)
    , m_kernel(new KernelPlot)
    , m_config(new TableModel(this))
    , m_ladders(new TableModel(this))
    , m_configView(new QTableView)
    , m_all(new QCheckBox(tr("also what is equal")))
    , m_summary(new QLabel)
    , m_conflicts(new QLabel)
    , m_weights(new WeightsPanel)
    , m_tabs(new QTabWidget)
    , m_strip(new QWidget)
    , m_stripMaps{new HeatmapPlot, new HeatmapPlot}
    , m_evaluate(new QPushButton)
{
    auto* wells = new QHBoxLayout;
    wells->setContentsMargins(12, 4, 12, 4);
    wells->setSpacing(8);
    for (int i = 0; i < 2; ++i) {
        wells->addWidget(m_wells[static_cast<std::size_t>(i)], 1);
        connect(m_wells[static_cast<std::size_t>(i)], &DropWell::dropped, this, [this, i](const QStringList& paths) {
            setSource(i, paths.first());
            for (const QString& more : paths.mid(1))
                addSource(more);
        });
        connect(m_wells[static_cast<std::size_t>(i)], &DropWell::cleared, this, [this, i] { clearSource(i); });
        connect(m_wells[static_cast<std::size_t>(i)], &DropWell::remoteDropped, this,
            [this](const QString& address) { Q_EMIT failed(tr("%1: only files on this machine can be opened; nothing is fetched.").arg(address)); });
    }
    const char* names[] = {"mapA", "mapB", "mapDifference"};
    auto* maps = new QWidget;
    auto* mapLayout = new QVBoxLayout(maps);
    mapLayout->setContentsMargins(0, 0, 0, 0);
    auto* mapSplitter = new QSplitter(Qt::Horizontal);
    for (std::size_t i = 0; i < 3; ++i) {
        m_maps[i]->setObjectName(names[i]);
        mapSplitter->addWidget(m_maps[i]);
        connect(m_maps[i], &Plot::failed, this, &Page::failed);
    }
    m_maps[0]->setScaleVisible(false);  // the same as that of B
    mapSplitter->setSizes({300, 360, 360});
    mapSplitter->setChildrenCollapsible(false);
    m_summary->setWordWrap(true);
    m_summary->setProperty("role", "secondary");
    auto* below = new QHBoxLayout;
    below->setContentsMargins(12, 0, 12, 8);
    below->addWidget(m_summary, 1);
    below->addWidget(m_evaluate);
    mapLayout->addWidget(mapSplitter, 1);
    mapLayout->addLayout(below);
    m_curves->setAxisTitles(tr("step"), tr("loss (nats/token)"));
    m_curves->setTitle(tr("loss of A and B"));
    m_curves->setSmoothing(0.8);
    m_curves->setObjectName("compareCurves");
    m_configView->setModel(m_config);
    m_configView->setObjectName("configDifferences");
    m_configView->setAccessibleName(tr("settings of A and B"));
    m_configView->verticalHeader()->hide();
    m_configView->setShowGrid(false);
    m_configView->horizontalHeader()->setStretchLastSection(true);
    auto* config = new QWidget;
    auto* configLayout = new QVBoxLayout(config);
    configLayout->setContentsMargins(12, 4, 12, 8);
    configLayout->addWidget(m_all);
    configLayout->addWidget(m_configView, 1);
    auto* ladderView = new QTableView;
    ladderView->setModel(m_ladders);
    ladderView->setAccessibleName(tr("ladders of A and B"));
    ladderView->verticalHeader()->hide();
    ladderView->setShowGrid(false);
    ladderView->horizontalHeader()->setStretchLastSection(true);
    auto* ladders = new QSplitter(Qt::Vertical);
    ladders->addWidget(m_kernel);
    auto* facts = new QWidget;
    auto* factsLayout = new QVBoxLayout(facts);
    factsLayout->setContentsMargins(12, 4, 12, 8);
    m_conflicts->setWordWrap(true);
    m_conflicts->setObjectName("conflicts");
    m_conflicts->setProperty("role", "problem");
    factsLayout->addWidget(m_conflicts);
    factsLayout->addWidget(ladderView, 1);
    ladders->addWidget(facts);
    auto* stripLayout = new QHBoxLayout(m_strip);
    stripLayout->setContentsMargins(0, 4, 8, 4);
    for (auto* map : m_stripMaps)
        addToStrip(map);
    stripLayout->addWidget(new ScaleBar(tr("exact match (%)")));
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName("compareTabs");
    m_tabs->addTab(maps, tr("retrieval"));
    m_tabs->addTab(m_curves, tr("curves"));
    m_tabs->addTab(config, tr("configuration"));
    m_tabs->addTab(ladders, tr("ladders"));
    m_tabs->addTab(m_weights, tr("weights"));
    m_tabs->addTab(m_strip, tr("strip"));
    m_stack->addWidget(new EmptyState(tr("Drop two run folders or checkpoints on A and B: their retrieval, the difference beyond noise, curves and settings stand here side by side.")));
    m_stack->addWidget(m_tabs);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(wells);
    layout->addWidget(m_stack, 1);

    connect(m_all, &QCheckBox::toggled, this, &ComparePage::showConfig);
    connect(m_evaluate, &QPushButton::clicked, this, [this] {
        if (m_call.isRunning())
            m_call.cancel();
        else
            evaluateMissing();
    });
    connect(&m_call, &bridge::EngineCall::failed, this, [this](const QString& sentence) {
        m_evaluated = -1;
        show();
        Q_EMIT failed(sentence);
    });
    connect(&m_call, &bridge::EngineCall::finished, this, [this](const Json& document) {
        const int well = std::exchange(m_evaluated, -1);
        if (well < 0 || !m_sources[static_cast<std::size_t>(well)])
            return;
        try {
            m_sources[static_cast<std::size_t>(well)]->grid = model::needleGrid(document, "eval");
            show();
            if (!missing().isEmpty())
                evaluateMissing();
        } catch (const Error& error) {
            show();
            Q_EMIT failed(QString::fromUtf8(error.what()));
        }
    });
    show();
}

ComparePage::Further::Further(ComparePage* page)
    : reader(page)
    , map(new HeatmapPlot)
{
}

void ComparePage::addToStrip(HeatmapPlot* map)
{
    map->setScaleVisible(false);
    connect(map, &Plot::failed, this, &Page::failed);
    auto* layout = static_cast<QBoxLayout*>(m_strip->layout());
    layout->insertWidget(static_cast<int>(m_strip->findChildren<HeatmapPlot*>(QString(), Qt::FindDirectChildrenOnly).size()), map, 1);
}

void ComparePage::addSource(const QString& path)
{
    if (!m_sources[0] || !m_sources[1]) {
        setSource(!m_sources[0] ? 0 : 1, path);
        return;
    }
    auto further = std::make_unique<Further>(this);
    further->source.path = path;
    further->source.title = tr("reading…");
    addToStrip(further->map);
    auto* target = further.get();
    m_further.push_back(std::move(further));
    target->reader.start([path] { return readSource(path); },
        [this, target](ComparedSource source) {
            target->source = std::move(source);
            show();
        });
    show();
    m_tabs->setCurrentWidget(m_strip);
}

void ComparePage::setSources(const QStringList& paths)
{
    while (isAnySet())
        clearSource(m_sources[0] ? 0 : 1);
    for (const QString& path : paths)
        addSource(path);
}

void ComparePage::setSource(int well, const QString& path)
{
    const auto w = static_cast<std::size_t>(well);
    m_sources[w] = ComparedSource{};
    m_sources[w]->path = path;
    m_wells[w]->setContent(tr("reading…"), path);
    m_readers[w].start([path] { return readSource(path); },
        [this, w](ComparedSource source) {
            m_sources[w] = std::move(source);
            show();
        });
    m_stack->setCurrentIndex(1);
}

void ComparePage::clearSource(int well)
{
    m_readers[static_cast<std::size_t>(well)].cancel();
    m_sources[static_cast<std::size_t>(well)].reset();
    // What stood in the strip moves up.
    if (!m_further.empty()) {
        m_sources[static_cast<std::size_t>(well)] = std::move(m_further.front()->source);
        delete m_further.front()->map;
        m_further.erase(m_further.begin());
    }
    show();
}

void ComparePage::showStrip()
{
    m_tabs->setTabVisible(m_tabs->indexOf(m_strip), !m_further.empty());
    if (m_further.empty())
        return;
    const auto put = [](HeatmapPlot* map, char letter, const ComparedSource* source) {
        map->setCaption(QString(QChar(letter)) + (source ? QStringLiteral(" · ") + source->title + (source->grid ? QStringLiteral(" · %1 %").arg(100 * source->grid->mean, 0, 'f', 1) : QString()) : QString()));
        if (source && source->grid)
            map->setGrid(*source->grid);
        else
            map->clear();
    };
    for (std::size_t i = 0; i < 2; ++i)
        put(m_stripMaps[i], static_cast<char>('A' + i), m_sources[i] ? &*m_sources[i] : nullptr);
    for (std::size_t i = 0; i < m_further.size(); ++i)
        put(m_further[i]->map, static_cast<char>('C' + std::min<std::size_t>(i, 'Z' - 'C')), &m_further[i]->source);
}

QStringList ComparePage::missing() const
{
    QStringList letters;
    for (int i = 0; i < 2; ++i)
        if (const auto& s = m_sources[static_cast<std::size_t>(i)]; s && !s->grid)
            letters << (i == 0 ? "A" : "B");
    return letters;
}

void ComparePage::evaluateMissing()
{
    for (int i = 0; i < 2; ++i) {
        const auto& s = m_sources[static_cast<std::size_t>(i)];
        if (!s || s->grid)
            continue;
        m_evaluated = i;
        m_call.start({"eval", s->path, "--protocol", "needle"}, m_context.study.isOpen() ? m_context.study.folder() : QString());
        show();
        return;
    }
}

void ComparePage::show()
{
    m_stack->setCurrentIndex(isAnySet());
    m_curves->clearCurves();
    std::vector<std::vector<TableCell>> rows;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& s = m_sources[i];
        const QString letter = i == 0 ? "A" : "B";
        if (!s) {
            m_wells[i]->setContent({}, {});
            m_maps[i]->clear();
            m_maps[i]->setCaption(letter);
            continue;
        }
        m_wells[i]->setContent(s->title.isEmpty() ? tr("reading…") : s->title, QStringList(QStringList{s->path} + s->notes).join('\n'));
        m_maps[i]->setCaption(letter + QStringLiteral(" · ") + s->title + (s->grid ? QStringLiteral(" · %1 %").arg(100 * s->grid->mean, 0, 'f', 1) : QString()));
        if (s->grid)
            m_maps[i]->setGrid(*s->grid);
        else
            m_maps[i]->clear();
        if (s->loss.size() > 0) {
            CurveStyle style;
            style.arm = static_cast<int>(i);
            style.label = letter + QStringLiteral(" · ") + s->title;
            m_curves->setCurve(letter, style);
            m_curves->replaceData(letter, s->loss);
        }
        for (const auto& ladder : s->ladders) {
            const auto d = ladder::describe(ladder);
            rows.push_back({{letter}, {QString::fromStdString(s->runFolder.isEmpty() ? ladder.name : d.kind)}, {QString::fromStdString(d.parameters)}, integerCell(static_cast<qint64>(d.theta.size())), integerCell(d.context),
                {QString::fromStdString(std::string(ladder::boundaryName(d.holonomy.boundary)))}, integerCell(static_cast<qint64>(d.undertrained.size())), numberCell(d.summary.atContext), {QString::fromStdString(d.hash.substr(0, 12))}});
        }
    }
    m_ladders->setTable({{tr("of")}, {tr("kind")}, {tr("parameters")}, {tr("planes")}, {tr("N")}, {tr("holonomy")}, {tr("undertrained")}, {tr("K(N)/M")}, {tr("hash")}}, std::move(rows));
    const auto& a = m_sources[0];
    const auto& b = m_sources[1];
    m_maps[2]->setCaption(tr("A − B, hatched: within noise"));
    m_summary->clear();
    if (a && b && a->grid && b->grid) {
        const auto d = model::difference(*a->grid, *b->grid);
        m_maps[2]->setDifference(d);
        int beyond = 0;
        int cells = 0;
        for (std::size_t i = 0; i < d.difference.size(); ++i)
            if (!std::isnan(d.difference[i])) {
                ++cells;
                beyond += !d.noise[i];
            }
        m_summary->setText(tr("Mean difference %1 points; %2 of %3 cells lie beyond the 95 % interval of a difference of two shares (Newcombe). About one cell in twenty does so by chance, and two runs differ by their seeds too.")
                               .arg(formatValue(100 * (a->grid->mean - b->grid->mean), 3).replace('-', QStringLiteral("−"))).arg(beyond).arg(cells));
    } else {
        m_maps[2]->clear();
    }
    if (a && !a->ladders.empty()) {
        const std::int64_t n = std::max<std::int64_t>(a->ladders.front().context, 2);
        const auto deltas = ladder::distances(0, 2 * n, std::max<std::int64_t>(1, 2 * n / 4000));
        m_kernel->setKernel(deltas, ladder::meanCosine(a->ladders.front(), deltas), n, 0);
        if (b && !b->ladders.empty())
            m_kernel->setReference("B", deltas, ladder::meanCosine(b->ladders.front(), deltas));
        else
            m_kernel->setReference({}, {}, {});
    }
    QStringList conflicts;
    for (std::size_t i = 0; i < 2; ++i)
        if (m_sources[i])
            for (const QString& conflict : m_sources[i]->conflicts)
                conflicts << (i == 0 ? "A: " : "B: ") + conflict;
    m_conflicts->setText(conflicts.join('\n'));
    m_conflicts->setVisible(!conflicts.isEmpty());
    m_weights->setCheckpoints(a ? a->path : QString(), b ? b->path : QString());
    showStrip();
    const QStringList letters = missing();
    m_evaluate->setVisible(!letters.isEmpty() || m_call.isRunning());
    m_evaluate->setText(m_call.isRunning() ? tr("Stop the evaluation") : tr("Evaluate %1").arg(letters.join(tr(" and "))));
    showConfig();
}

void ComparePage::showConfig()
{
    std::vector<std::vector<TableCell>> rows;
    if (m_sources[0] && m_sources[1])
        for (const auto& d : specDifferences(m_sources[0]->spec, m_sources[1]->spec, m_all->isChecked()))
            rows.push_back({{d.path}, {d.a}, {d.b}});
    m_config->setTable({{tr("field")}, {tr("A")}, {tr("B")}}, std::move(rows));
    m_configView->resizeColumnToContents(0);
    m_configView->setColumnWidth(1, 280);
}

}  // namespace holo::shell
