#include "app/shell/pages/live_strip.h"

#include <QGridLayout>
#include <QLabel>
#include <cmath>

#include "app/bridge/run_controller.h"
#include "app/bridge/study.h"
#include "core/model/run_health.h"
#include "core/run/run_directory.h"
#include "widgets/common/format.h"
#include "widgets/common/state_style.h"
#include "widgets/common/theme.h"

namespace holo::shell {

using namespace widgets;

namespace {

constexpr int kMostRuns = 4;
constexpr std::chrono::seconds kQuiet{30};  // without a step, before it is said

}  // namespace

LiveStrip::LiveStrip(Context& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_work(this)
    , m_meter(std::make_shared<bridge::LoadMeter>())
    , m_grid(new QGridLayout(this))
    , m_machine(new QLabel)
{
    setObjectName("liveStrip");
    m_grid->setContentsMargins(12, 0, 12, 2);
    m_grid->setHorizontalSpacing(20);
    m_grid->setVerticalSpacing(2);
    m_grid->setColumnStretch(Notice, 1);
    m_machine->setProperty("role", "secondary");
    m_machine->setObjectName("machineLoad");
    m_machine->setToolTip(tr("Load of this machine, all programs together"));
    m_grid->addWidget(m_machine, 0, CellCount, Qt::AlignRight | Qt::AlignTop);
    m_timer.setInterval(1000);
    connect(&m_timer, &QTimer::timeout, this, &LiveStrip::look);
    m_timer.start();
    connect(&m_context.study, &bridge::Study::closed, this, [this] {
        m_moved.clear();
        m_told.clear();
        m_notices.clear();
        hide();
    });
    connect(&m_context.study, &bridge::Study::opened, this, &LiveStrip::look);
    hide();
}

void LiveStrip::look()
{
    QStringList runs;
    for (const auto& [run, row] : m_context.study.rows())
        if (bridge::RunController::canStop(row))
            runs << run;
    // Faults are noticed on every page; what a hidden strip would show is not measured.
    for (const QString& run : runs)
        m_notices[run] = notice(run);
    setVisible(!runs.isEmpty());
    if (!isVisible())
        return;
    tell(runs);
    if (m_measuring)
        return;
    m_measuring = true;
    QStringList folders;
    for (const QString& run : runs)
        folders << m_context.study.runFolder(run);
    m_work.start(
        [meter = m_meter, runs, folders] {
            Measured measured;
            std::vector<std::int64_t> pids;
            const std::string host = run::ownHeartbeat(0, false).host;
            for (int i = 0; i < runs.size(); ++i)
                if (const auto heartbeat = run::RunDirectory(folders[i].toStdString()).readHeartbeat(); heartbeat && heartbeat->host == host && run::isAlive(*heartbeat)) {
                    measured.pids[runs[i]] = heartbeat->pid;
                    pids.push_back(heartbeat->pid);
                }
            measured.load = meter->sample(pids);
            return measured;
        },
        [this](Measured measured) {
            m_measuring = false;
            m_measured = std::move(measured);
        });
}

QLabel* LiveStrip::cell(int row, Cell column)
{
    const auto at = static_cast<std::size_t>(row * CellCount + column);
    while (m_cells.size() <= at) {
        auto* label = new QLabel;
        const auto n = static_cast<int>(m_cells.size());
        m_grid->addWidget(label, n / CellCount, n % CellCount);
        m_cells.push_back(label);
    }
    return m_cells[at];
}

void LiveStrip::tell(const QStringList& runs)
{
    const int count = std::min<int>(kMostRuns, static_cast<int>(runs.size()));
    for (int i = 0; i < count; ++i) {
        const auto* row = m_context.study.row(runs[i]);
        const auto* steps = m_context.study.steps(runs[i]);
        const StateStyle style = stateStyle(QString::fromStdString(row->state));
        cell(i, Name)->setText(QStringLiteral("<span style='color:%1'>%2</span> %3").arg(style.color.name(), style.sign, tr("%1 · seed %2").arg(QString::fromStdString(row->arm).toHtmlEscaped()).arg(row->seed)));
        cell(i, Name)->setToolTip(style.word);
        cell(i, Step)->setText(row->totalSteps > 0 ? tr("step %1 / %2").arg(row->step).arg(row->totalSteps) : tr("step %1").arg(row->step));
        cell(i, Speed)->setText(row->state == "running" && row->tokensPerSecond > 0 ? tr("%1 tok/s").arg(formatCount(row->tokensPerSecond)) : QString());
        const auto remaining = steps && row->state == "running" ? model::remainingTime(*steps, row->totalSteps) : model::Remaining{};
        QString left;
        if (std::isfinite(remaining.seconds)) {
            left = tr("remaining %1").arg(formatDuration(remaining.seconds));
            if (remaining.high > 1.1 * remaining.low)
                left += QStringLiteral(" (%1 … %2)").arg(formatDuration(remaining.low), formatDuration(remaining.high));
        }
        cell(i, Left)->setText(left);
        cell(i, Left)->setToolTip(tr("At the pace of the newest 200 steps, evaluations and checkpoints included; in brackets the pace of the fastest and the slowest eighth of them"));
        QString process;
        if (const auto pid = m_measured.pids.find(runs[i]); pid != m_measured.pids.end())
            if (const auto load = m_measured.load.processes.find(pid->second); load != m_measured.load.processes.end())
                process = (std::isfinite(load->second.cores) ? tr("%1 cores, ").arg(load->second.cores, 0, 'f', 1) : QString()) + formatBytes(load->second.bytes);
        cell(i, Process)->setText(process);
        cell(i, Process)->setToolTip(tr("Processor and memory of this run's process"));
        cell(i, Notice)->setText(m_notices[runs[i]]);
    }
    for (std::size_t at = static_cast<std::size_t>(count) * CellCount; at < m_cells.size(); ++at)
        m_cells[at]->clear();
    for (std::size_t at = 0; at < m_cells.size(); ++at)
        m_cells[at]->setVisible(at < static_cast<std::size_t>(count) * CellCount);
    const auto& load = m_measured.load;
    QStringList machine;
    if (runs.size() > count)
        machine << tr("%n more run(s)", nullptr, static_cast<int>(runs.size()) - count);
    if (load.cores > 0) {
        if (std::isfinite(load.busy))
            machine << tr("CPU %1 % of %n core(s)", nullptr, load.cores).arg(100 * load.busy, 0, 'f', 0);
        machine << tr("memory %1 of %2").arg(formatBytes(load.usedBytes), formatBytes(load.totalBytes));
    }
    for (const auto& gpu : load.gpus)
        machine << tr("%1 %2 %, %3 of %4").arg(gpu.name).arg(gpu.percent).arg(formatBytes(gpu.usedBytes), formatBytes(gpu.totalBytes));
    m_machine->setText(machine.join(QStringLiteral("  ·  ")));
}

QString LiveStrip::notice(const QString& run)
{
    const auto* row = m_context.study.row(run);
    const auto* steps = m_context.study.steps(run);
    const QString name = tr("%1, seed %2").arg(QString::fromStdString(row->arm)).arg(row->seed);
    QStringList words;
    const auto health = steps ? model::healthOf(*steps) : model::Health{};
    switch (health.trouble) {
    case model::Trouble::NonFinite: words << tr("loss not finite since step %1").arg(health.step); break;
    case model::Trouble::Diverging: words << tr("diverging: loss %1 nats above its least, of step %2").arg(formatValue(health.excess, 2)).arg(health.step); break;
    case model::Trouble::Flat: words << tr("loss flat since step %1").arg(health.step); break;
    case model::Trouble::None: break;
    }
    const bool isFault = health.trouble == model::Trouble::NonFinite || health.trouble == model::Trouble::Diverging;
    if (isFault && m_told.insert({run, static_cast<int>(health.trouble)}).second)
        Q_EMIT noticed(name + ": " + words.first() + '.');
    const auto now = std::chrono::steady_clock::now();
    Moved& moved = m_moved[run];
    if (moved.step != row->step || moved.evals != row->evals || row->state != "running")
        moved = {row->step, row->evals, now};
    else if (now - moved.since > kQuiet)
        words << tr("no step for %1").arg(formatDuration(std::chrono::duration<double>(now - moved.since).count()));
    const QString text = words.join(QStringLiteral("; ")).toHtmlEscaped();
    return isFault ? QStringLiteral("<span style='color:%1'>⚠ %2</span>").arg(theme().problem.name(), text) : text;
}

}  // namespace holo::shell
