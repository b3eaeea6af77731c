#include "app/shell/pages/ladder_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/error.h"
#include "core/config/scheme_json.h"
#include "core/ladder/kinds.h"
#include "widgets/common/format.h"
#include "widgets/common/number_edit.h"
#include "widgets/common/state_style.h"
#include "widgets/common/theme.h"
#include "widgets/editors/head_painter.h"
#include "widgets/editors/project_document.h"
#include "widgets/editors/scheme_editor.h"
#include "widgets/editors/theta_formula.h"
#include "widgets/models/table_model.h"
#include "widgets/plots/kernel_plot.h"
#include "widgets/plots/ladder_plot.h"
#include "widgets/plots/turns_plot.h"

namespace holo::shell {

namespace {

constexpr std::int64_t kMostKernelPoints = 4000;

std::vector<std::int64_t> kernelDistances(std::int64_t context)
{
    const std::int64_t last = 2 * std::max<std::int64_t>(context, 2);
    return ladder::distances(0, last, std::max<std::int64_t>(1, last / kMostKernelPoints));
}

}  // namespace

LadderPanel::LadderPanel(widgets::ProjectDocument& document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_editor(new widgets::SchemeEditor)
    , m_theta(new widgets::LadderPlot)
    , m_kernel(new widgets::KernelPlot)
    , m_turns(new widgets::TurnsPlot)
    , m_heads(new widgets::HeadPainter)
    , m_table(new widgets::TableModel(this))
    , m_tableView(new QTableView)
    , m_formula(new QLineEdit)
    , m_reference(new QComboBox)
    , m_title(new QLabel)
    , m_facts(new QLabel)
    , m_verdict(new QLabel)
    , m_share(new QLabel)
    , m_problem(new QLabel)
{
    m_title->setProperty("role", "heading");
    m_facts->setProperty("role", "secondary");
    m_facts->setWordWrap(true);
    m_verdict->setWordWrap(true);
    m_verdict->setToolTip(tr("Holonomy: what is left of a rotation plane after one trip round the training context, e^{iNθ}.\n−1 in every plane: anti-periodic (Möbius, arXiv 2607.21405); +1: periodic."));
    m_problem->setWordWrap(true);
    m_problem->setProperty("role", "problem");
    m_theta->setObjectName("thetaPlot");
    m_kernel->setObjectName("kernelPlot");
    m_turns->setObjectName("turnsPlot");
    m_theta->setAccessibleName(tr("θ of each plane"));
    m_kernel->setToolTip(tr("K(Δ)/M = (1/M) Σ cos θΔ: what q·k is at distance Δ for equal content in every plane"));
    m_reference->setObjectName("reference");
    m_reference->setAccessibleName(tr("reference ladder"));
    m_reference->addItem(tr("no reference"), QString());
    for (const char* kind : {"standard", "mobius", "periodic", "band", "band:variant=C1", "resonance"})
        m_reference->addItem(QString::fromLatin1(kind), QString::fromLatin1(kind));
    m_reference->setCurrentIndex(1);
    m_reference->setToolTip(tr("Drawn dashed behind the ladder and its kernel"));

    auto* left = new QWidget;
    auto* leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 8, 0);
    leftLayout->addWidget(m_editor);
    leftLayout->addWidget(m_problem);
    leftLayout->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(left);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(238);

    m_tableView->setModel(m_table);
    m_tableView->verticalHeader()->hide();
    m_tableView->setShowGrid(false);
    m_tableView->horizontalHeader()->setStretchLastSection(true);
    m_tableView->setObjectName("thetaTable");
    m_tableView->setAccessibleName(tr("θ, plane by plane"));
    m_table->setEditableColumn(1);
    m_formula->setObjectName("thetaFormula");
    m_formula->setPlaceholderText(QStringLiteral("pi*(2*i+1)/N"));
    m_formula->setAccessibleName(tr("formula of θ"));
    m_formula->setToolTip(tr("θ of plane i, for example base^(-2*i/d) or pi*(2*i+1)/N; Enter applies it.\ni: plane, M: planes, d = 2M, N: context, base, pi, e; + − * / ^, sqrt exp log sin cos abs, and choices: i < 8 ? base^(-2*i/d) : 0"));
    auto* formula = new QWidget;
    auto* formulaLayout = new QVBoxLayout(formula);
    formulaLayout->setContentsMargins(0, 4, 0, 0);
    auto* formulaLine = new QHBoxLayout;
    formulaLine->addWidget(new QLabel(QStringLiteral("θ(i) =")));
    formulaLine->addWidget(m_formula, 1);
    formulaLayout->addLayout(formulaLine);
    formulaLayout->addWidget(m_tableView, 1);
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->addTab(m_theta, tr("curve"));
    tabs->addTab(formula, tr("table and formula"));
    auto* plots = new QWidget;
    auto* plotLayout = new QVBoxLayout(plots);
    plotLayout->setContentsMargins(0, 0, 0, 0);
    plotLayout->setSpacing(2);
    auto* vertical = new QSplitter(Qt::Vertical);
    vertical->addWidget(tabs);
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(m_kernel);
    lower->addWidget(m_turns);
    lower->setSizes({420, 200});
    vertical->addWidget(lower);
    vertical->setSizes({220, 180});
    plotLayout->addWidget(vertical, 1);
    plotLayout->addWidget(m_verdict);
    plotLayout->addWidget(m_facts);

    auto* right = new QWidget;
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(8, 0, 0, 0);
    auto* headsTitle = new QLabel(tr("Heads"));
    headsTitle->setProperty("role", "heading");
    rightLayout->addWidget(headsTitle);
    rightLayout->addWidget(m_heads, 1);
    m_share->setProperty("role", "secondary");
    m_share->setWordWrap(true);
    rightLayout->addWidget(m_share);
    right->setMinimumWidth(170);

    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(scroll);
    splitter->addWidget(plots);
    splitter->addWidget(right);
    splitter->setSizes({238, 620, 200});
    splitter->setChildrenCollapsible(false);
    splitter->setStretchFactor(1, 1);
    auto* top = new QHBoxLayout;
    top->addWidget(m_title);
    top->addStretch();
    top->addWidget(new QLabel(tr("reference")));
    top->addWidget(m_reference);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 12, 4);
    layout->addLayout(top);
    layout->addWidget(splitter, 1);

    connect(m_editor, &widgets::SchemeEditor::edited, this, [this](const ladder::Scheme& scheme) { commit(scheme, tr("change ladder"), 0); });
    connect(m_editor, &widgets::SchemeEditor::partChanged, this, &LadderPanel::update);
    connect(m_heads, &widgets::HeadPainter::painted, this, [this](const std::vector<std::set<int>>& special) { m_editor->setSpecialHeads(special); });
    connect(m_reference, &QComboBox::activated, this, &LadderPanel::updateReference);
    connect(m_theta, &widgets::LadderPlot::thetaDragged, this, [this](int plane, double theta) {
        // While the point moves nothing is written: the new ladder is drawn, and the step is taken when the button is released.
        if (!m_dragging) {
            m_dragging = true;
            m_dragScheme = {ladder::Kind::Custom, {{"theta", shownTheta()}}, {}};
        }
        auto& list = std::get<std::vector<double>>(m_dragScheme.parameters["theta"]);
        if (plane < static_cast<int>(list.size()))
            list[static_cast<std::size_t>(plane)] = theta;
        if (const auto s = shape()) {
            try {
                showLadder(ladder::resolve(m_dragScheme, *s).ladders.front());
            } catch (const Error& error) {
                m_problem->setText(QString::fromUtf8(error.what()));
            }
        }
    });
    connect(m_theta, &widgets::LadderPlot::dragFinished, this, [this] {
        if (!m_dragging)
            return;
        m_dragging = false;
        m_editor->setCurrentScheme(m_dragScheme);
    });
    connect(m_formula, &QLineEdit::returnPressed, this, &LadderPanel::applyFormula);
    connect(m_table, &widgets::TableModel::cellEdited, this, [this](int row, int, const QString& text) {
        const auto value = widgets::NumberEdit::parse(text);
        if (!value) {
            m_problem->setText(tr("θ of plane %1 is “%2”; allowed: a number in rad/token.").arg(row).arg(text));
            return;
        }
        auto theta = shownTheta();
        theta[static_cast<std::size_t>(row)] = *value;
        setTheta(std::move(theta));
    });
    connect(m_theta, &widgets::LadderPlot::planeSelected, m_tableView, &QTableView::selectRow);
    connect(m_theta, &widgets::Plot::failed, this, &LadderPanel::failed);
    connect(m_kernel, &widgets::Plot::failed, this, &LadderPanel::failed);
    connect(&m_document, &widgets::ProjectDocument::changed, this, &LadderPanel::load);
    connect(&m_document, &widgets::ProjectDocument::currentArmChanged, this, &LadderPanel::load);
    load();
}

std::vector<double> LadderPanel::shownTheta() const
{
    std::vector<double> list;
    for (int row = 0; row < m_table->rowCount(); ++row)
        list.push_back(m_table->index(row, 1).data(widgets::TableModel::kSortRole).toDouble());
    return list;
}

void LadderPanel::setTheta(std::vector<double> theta) { m_editor->setCurrentScheme({ladder::Kind::Custom, {{"theta", std::move(theta)}}, {}}); }

void LadderPanel::applyFormula()
{
    const auto s = shape();
    if (!s)
        return;
    auto result = widgets::evaluateFormula(m_formula->text().toStdString(), {s->rotaryDim / 2, s->context, s->base});
    widgets::markProblem(m_formula, !result.problem.empty());
    if (result.problem.empty())
        setTheta(std::move(result.theta));
    else
        m_problem->setText(tr("θ(i): %1").arg(QString::fromStdString(result.problem)));
}

std::optional<ladder::ModelShape> LadderPanel::shape() const
{
    try {
        return config::modelShape(config::resolved(m_document.project().model, std::max(m_document.project().model.vocab, 1)), 0);
    } catch (const Error&) {
        return std::nullopt;
    }
}

void LadderPanel::load()
{
    const auto& arms = m_document.project().arms;
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    setEnabled(at < arms.size());
    if (at >= arms.size())
        return;
    if (!m_committing)
        m_editor->setScheme(arms[at].scheme);
    update();
}

void LadderPanel::commit(const ladder::Scheme& scheme, const QString& text, int mergeKey)
{
    config::Project next = m_document.project();
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    if (at >= next.arms.size())
        return;
    next.arms[at].scheme = scheme;
    m_committing = true;
    m_document.change(text, std::move(next), mergeKey);
    m_committing = false;
}

void LadderPanel::update()
{
    const auto& arms = m_document.project().arms;
    const auto at = static_cast<std::size_t>(m_document.currentArm());
    if (at >= arms.size())
        return;
    const QString part = m_editor->isHybrid() ? (m_editor->currentPart() == 0 ? tr(" / special") : tr(" / rest")) : QString();
    m_title->setText(tr("Ladder of “%1”").arg(QString::fromStdString(arms[at].name) + part));
    m_problem->clear();
    const auto s = shape();
    if (!s) {
        m_problem->setText(tr("The model's sizes do not fit together; see the tab “model”."));
        return;
    }
    try {
        show(ladder::resolve(arms[at].scheme, *s));
    } catch (const Error& error) {
        m_problem->setText(QString::fromUtf8(error.what()));
    }
}

// Where the plan keeps the ladder of `scheme`. A plan numbers its ladders by the first head that carries them, so the order of the parts
// says nothing. −1: no head carries it.
int LadderPanel::indexOf(const ladder::Scheme& scheme, const ladder::Plan& plan)
{
    try {
        const auto alone = ladder::resolve(scheme, plan.shape);
        for (std::size_t i = 0; i < plan.ladders.size() && !alone.ladders.empty(); ++i)
            if (plan.ladders[i].kind == alone.ladders.front().kind && plan.ladders[i].hash == alone.ladders.front().hash && plan.ladders[i].parameters == alone.ladders.front().parameters)
                return static_cast<int>(i);
    } catch (const Error&) {
        // A part that does not stand alone carries no ladder of its own.
    }
    return -1;
}

void LadderPanel::show(const ladder::Plan& plan)
{
    // Special is what does not carry the ladder of the last part.
    std::vector<std::set<int>> special(plan.heads.size());
    if (const auto& parts = m_editor->scheme().parts; m_editor->isHybrid() && plan.ladders.size() > 1 && !parts.empty()) {
        const int rest = indexOf(parts.back().scheme, plan);
        for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
            for (std::size_t head = 0; head < plan.heads[layer].size(); ++head)
                if (plan.heads[layer][head].ladder != rest)
                    special[layer].insert(static_cast<int>(head));
    } else if (!m_editor->isHybrid()) {
        for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
            for (std::size_t head = 0; head < plan.heads[layer].size(); ++head)
                special[layer].insert(static_cast<int>(head));
    }
    m_heads->setHeads(plan.shape.layers, plan.shape.heads, special, m_document.currentArm());
    QStringList share{tr("share %1 % (%2/%3)").arg(100 * m_heads->share(), 0, 'f', 1).arg(m_heads->specialHeads()).arg(plan.shape.layers * plan.shape.heads)};
    for (const auto& note : plan.notes)
        share << QString::fromStdString(note);
    m_share->setText(share.join('\n'));
    if (plan.ladders.empty())
        return;
    showLadder(plan.ladders[static_cast<std::size_t>(std::max(0, m_editor->isHybrid() ? indexOf(m_editor->currentScheme(), plan) : 0))]);
    updateReference();
}

void LadderPanel::showLadder(const ladder::Ladder& ladder)
{
    const ladder::LadderDescription d = ladder::describe(ladder);
    const int arm = m_document.currentArm();
    const std::int64_t context = d.context > 0 ? d.context : m_document.project().model.context;
    m_theta->setLadder(d.theta, context, arm);
    const auto deltas = kernelDistances(context);
    m_kernel->setKernel(deltas, ladder::meanCosine(ladder, deltas), context, arm);
    m_turns->setTurns(d.turns, arm);
    std::vector<std::vector<widgets::TableCell>> rows;
    for (std::size_t i = 0; i < d.theta.size(); ++i) {
        const auto z = i < d.holonomy.planes.size() ? d.holonomy.planes[i] : std::complex<double>(1, 0);
        rows.push_back({widgets::integerCell(static_cast<qint64>(i)), widgets::numberCell(d.theta[i], 6), widgets::numberCell(d.period[i], 5), widgets::numberCell(d.turns[i], 5),
            {QStringLiteral("%1 %2 %3i").arg(z.real(), 0, 'f', 3).arg(z.imag() < 0 ? QStringLiteral("−") : QStringLiteral("+")).arg(std::abs(z.imag()), 0, 'f', 3), z.real(), true}});
    }
    m_table->setTable({{tr("plane")}, {tr("θ (rad/token)")}, {tr("λ (tokens)"), tr("2π/θ")}, {tr("turns in N")}, {tr("holonomy"), tr("e^{iNθ}")}}, std::move(rows));

    const auto count = static_cast<int>(d.theta.size());
    QString verdict;
    QString sign = QStringLiteral("✓");
    switch (d.holonomy.boundary) {
    case ladder::Boundary::AntiPeriodic: verdict = tr("holonomy −1 in all %n plane(s): anti-periodic", nullptr, count); break;
    case ladder::Boundary::Periodic: verdict = tr("holonomy +1 in all %n plane(s): periodic", nullptr, count); break;
    case ladder::Boundary::Coherent: verdict = tr("one common phase in all %n plane(s), %1 rad", nullptr, count).arg(widgets::formatValue(d.holonomy.planes.empty() ? 0 : std::arg(d.holonomy.planes.front()), 4)); break;
    case ladder::Boundary::Mixed:
        verdict = tr("holonomy mixed over %n plane(s), |mean e^{iNθ}| = %1", nullptr, count).arg(widgets::formatValue(d.holonomy.absMean, 3));
        sign = QStringLiteral("≈");
        break;
    }
    if (count == 0) {
        verdict = tr("no rotation");
        sign = QStringLiteral("○");
    }
    m_verdict->setText(sign + ' ' + verdict);
    const auto& k = d.summary;
    QStringList facts{tr("undertrained %1/%2").arg(d.undertrained.size()).arg(count)};
    if (k.halfWidth)
        facts << tr("half width %1 tokens").arg(*k.halfWidth);
    if (k.firstZero)
        facts << tr("first zero at %1").arg(widgets::formatValue(*k.firstZero, 4));
    facts << tr("K(N)/M = %1").arg(widgets::formatValue(k.atContext, 4)) << tr("bulk RMS %1").arg(widgets::formatValue(k.bulkRms, 3));
    if (d.temperature != 1)
        facts << tr("temperature × %1").arg(widgets::formatValue(d.temperature, 4));
    m_facts->setText(facts.join(QStringLiteral("  ·  ")));
    m_facts->setToolTip(tr("Undertrained: planes that turn less than once within N tokens, so that later positions show them phases never trained (arXiv 2412.17739).\n"
                           "Half width: first distance with K/M < ½. Bulk: distances from N/4 to 3N/4."));
}

void LadderPanel::updateReference()
{
    const QString kind = m_reference->currentData().toString();
    const auto s = shape();
    m_theta->setReference({});
    m_kernel->setReference({}, {}, {});
    if (kind.isEmpty() || !s)
        return;
    try {
        const auto plan = ladder::resolve(config::parseScheme(kind.toStdString()), *s);
        const auto deltas = kernelDistances(s->context);
        m_theta->setReference(plan.ladders.front().theta);
        m_kernel->setReference(kind, deltas, ladder::meanCosine(plan.ladders.front(), deltas));
    } catch (const Error&) {
        // A reference that does not exist for this shape is no reference.
    }
}

}  // namespace holo::shell
