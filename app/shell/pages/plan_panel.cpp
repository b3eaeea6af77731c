#include "app/shell/pages/plan_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/bridge/engine.h"
#include "app/bridge/job_queue.h"
#include "app/bridge/run_controller.h"
#include "app/bridge/study.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/origin.h"
#include "widgets/common/format.h"
#include "widgets/common/icon_button.h"
#include "widgets/common/icons.h"
#include "widgets/editors/project_document.h"
#include "widgets/editors/run_matrix.h"

namespace holo::shell {

namespace {

// Vocabulary before the data are prepared; 0 where only the data know it.
int expectedVocabulary(const config::Project& project)
{
    if (project.model.vocab > 0)
        return project.model.vocab;
    const auto& s = project.data.synthetic;
    if (project.data.source == std::vector<std::string>{"synthetic"})
        return 2 + 2 * s.names + s.values + s.determiners + s.adjectives + s.nouns + s.verbs;
    if (project.data.tokenizer == "bytes")
        return 256;
    if (project.data.tokenizer.starts_with("sentencepiece:"))
        return static_cast<int>(parseInt(std::string_view(project.data.tokenizer).substr(14)).value_or(0));
    return 0;
}

}  // namespace

PlanPanel::PlanPanel(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_matrix(new widgets::RunMatrix)
    , m_cost(new QLabel)
    , m_problems(new QLabel)
    , m_command(new QLineEdit)
    , m_queue(new QPushButton)
{
    auto* heading = new QLabel(tr("Plan: arms × seeds"));
    heading->setProperty("role", "heading");
    m_cost->setProperty("role", "secondary");
    m_cost->setWordWrap(true);
    m_problems->setWordWrap(true);
    m_problems->setProperty("role", "problem");
    m_command->setReadOnly(true);
    m_command->setObjectName("command");
    m_command->setAccessibleName(tr("command"));
    QFont mono("monospace");
    mono.setStyleHint(QFont::Monospace);
    m_command->setFont(mono);
    auto* copy = widgets::iconButton("copy", tr("Copy the command"));
    m_queue->setObjectName("queueRuns");
    m_queue->setIcon(widgets::icon("play"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_command, 1);
    line->addWidget(copy);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 12, 8);
    layout->addWidget(heading);
    layout->addWidget(m_matrix, 1);
    layout->addWidget(m_cost);
    layout->addWidget(m_problems);
    layout->addLayout(line);
    layout->addWidget(m_queue);
    connect(copy, &QToolButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_command->text());
        Q_EMIT noted(tr("Command copied"));
    });
    connect(m_queue, &QPushButton::clicked, this, &PlanPanel::queueChosen);
    connect(m_matrix, &widgets::RunMatrix::chosenChanged, this, &PlanPanel::updateButton);
    connect(&m_context.document, &widgets::ProjectDocument::changed, this, &PlanPanel::update);
    connect(&m_context.document, &widgets::ProjectDocument::currentArmChanged, this, &PlanPanel::update);
    connect(&m_context.study, &bridge::Study::opened, this, &PlanPanel::update);
    connect(&m_context.study, &bridge::Study::rowsChanged, this, &PlanPanel::updateStates);
    connect(&m_context.queue, &bridge::JobQueue::changed, this, &PlanPanel::updateStates);
    update();
}

QString PlanPanel::costText() const
{
    const config::Project& project = m_context.document.project();
    const int vocabulary = expectedVocabulary(project);
    QStringList parts;
    try {
        if (vocabulary <= 0) {
            parts << tr("size known once the data are prepared");
        } else if (!project.arms.empty() && !project.seeds.empty()) {
            config::Project one = project;
            one.model = config::resolved(project.model, vocabulary);
            const auto specs = config::expand(one);
            const auto arm = std::min(project.arms.size() - 1, static_cast<std::size_t>(std::max(0, m_context.document.currentArm())));
            const auto of = std::find_if(specs.begin(), specs.end(), [&](const config::RunSpec& s) { return s.arm == project.arms[arm].name; });
            const auto& spec = of == specs.end() ? specs.front() : *of;
            parts << tr("%1 parameters").arg(widgets::formatCount(static_cast<double>(config::parameterCount(spec.model))));
            parts << tr("%1 a checkpoint").arg(widgets::formatBytes(static_cast<double>(config::checkpointBytes(spec.model))));
            parts << tr("about %1 of memory").arg(widgets::formatBytes(static_cast<double>(config::peakMemoryBytes(spec))));
            const double tokens = static_cast<double>(config::totalSteps(spec)) * spec.train.batch * spec.train.accumulate * static_cast<double>(spec.model.context);
            parts << tr("%1 tokens").arg(widgets::formatCount(tokens));
            // Learned from what this project's runs did; nothing is guessed without them.
            std::vector<double> speeds;
            for (const auto& [id, row] : m_context.study.rows())
                if (std::isfinite(row.tokensPerSecond) && row.tokensPerSecond > 0)
                    speeds.push_back(row.tokensPerSecond);
            if (!speeds.empty()) {
                std::nth_element(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2), speeds.end());
                parts << tr("≈ %1 a run at %2 tok/s").arg(widgets::formatDuration(tokens / speeds[speeds.size() / 2]), widgets::formatCount(speeds[speeds.size() / 2]));
            }
        }
    } catch (const Error& error) {
        parts << QString::fromUtf8(error.what());
    }
    return parts.join(QStringLiteral("  ·  "));
}

void PlanPanel::update()
{
    auto& document = m_context.document;
    if (!document.isOpen())
        return;
    const config::Project& project = document.project();
    QStringList arms;
    for (const auto& arm : project.arms)
        arms << QString::fromStdString(arm.name);
    m_matrix->setPlan(arms, std::vector<qint64>(project.seeds.begin(), project.seeds.end()));
    m_cost->setText(costText());
    QStringList problems;
    for (const auto& problem : document.problems())
        problems << QString::fromStdString(problem.message);
    m_problems->setText(problems.mid(0, 3).join('\n'));
    m_problems->setVisible(!problems.isEmpty());
    const auto at = static_cast<std::size_t>(document.currentArm());
    if (at < project.arms.size() && !project.seeds.empty())
        m_command->setText(bridge::shellCommand({"--batch", QString::fromStdString(document.folder().string()), "--arm", arms[static_cast<int>(at)], "--seed", QString::number(project.seeds.front())}));
    m_command->setCursorPosition(0);
    updateStates();
}

void PlanPanel::updateStates()
{
    const config::Project& project = m_context.document.project();
    for (const auto& arm : project.arms) {
        const auto planned = config::seedsOf(project, arm);
        for (const auto seed : project.seeds) {
            const QString name = QString::fromStdString(arm.name);
            const auto* row = m_context.study.find(name, seed);
            const bool isPlanned = std::find(planned.begin(), planned.end(), seed) != planned.end();
            QString state = row ? QString::fromStdString(row->state) : isPlanned ? QString() : QStringLiteral("not planned");
            for (const auto& job : m_context.queue.jobs())
                if (job.arm == name && job.seed == seed)
                    state = job.running ? QStringLiteral("running") : QStringLiteral("queued");
            m_matrix->setState(name, seed, state);
        }
    }
    updateButton();
}

void PlanPanel::updateButton()
{
    const auto count = static_cast<int>(m_matrix->chosen().size());
    m_queue->setText(tr("Queue %n run(s)", nullptr, count));
    m_queue->setEnabled(count > 0 && m_context.document.problems().empty());
}

void PlanPanel::queueChosen()
{
    auto& document = m_context.document;
    try {
        if (document.isModified())
            document.save();  // a run reads the project from its file
        std::vector<bridge::Job> jobs;
        const auto planned = config::plannedRuns(document.project());
        for (const auto& [arm, seed] : m_matrix->chosen())
            for (const auto& run : planned)
                if (run.spec.arm == arm.toStdString() && run.spec.seed == seed)
                    jobs.push_back({arm, seed, QString::fromStdString(run.id), false, 0, 0, {}});
        m_context.queue.add(jobs);
        Q_EMIT noted(tr("Queued %n run(s)", nullptr, static_cast<int>(jobs.size())));
        Q_EMIT pageWanted("runs");
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

}  // namespace holo::shell
