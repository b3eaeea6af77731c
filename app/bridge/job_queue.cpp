#include "app/bridge/job_queue.h"

#include <QFile>
#include <algorithm>

#include "app/bridge/engine.h"
#include "app/bridge/run_controller.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/run/run_directory.h"

namespace holo::bridge {

namespace {

constexpr int kTickMilliseconds = 500;

// Start time of a process, 0 if there is none: with the pid it names a process for good.
qint64 startOf(qint64 pid)
{
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (pid <= 0 || !stat.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray text = stat.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 1).trimmed().split(' ');
    return fields.size() < 20 || fields[0] == "Z" ? 0 : fields[19].toLongLong();
}

bool isAlive(const Job& job) { return job.processStart != 0 && startOf(job.pid) == job.processStart; }

QString textAt(const Json& object, const char* key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? QString::fromStdString(it->get<std::string>()) : QString();
}

qint64 integerAt(const Json& object, const char* key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>() : 0;
}

}  // namespace

JobQueue::JobQueue(RunController& controller, QObject* parent)
    : QObject(parent)
    , m_controller(controller)
    , m_devices(localDevices())
{
    m_timer.setInterval(kTickMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &JobQueue::tick);
}

void JobQueue::open(const QString& project, bool readOnly)
{
    m_project = project;
    m_readOnly = readOnly;
    m_paused = false;
    m_cameBackPaused = false;
    m_jobs.clear();
    load();
    if (!readOnly)
        m_timer.start();
    Q_EMIT changed();
}

void JobQueue::close()
{
    m_timer.stop();
    if (!m_project.isEmpty() && !m_jobs.empty())
        save(true);
    else if (!m_project.isEmpty() && !m_readOnly)
        QFile::remove(m_project + "/queue.json");
    m_project.clear();
    m_jobs.clear();
    Q_EMIT changed();
}

void JobQueue::load()
{
    const QString file = m_project + "/queue.json";
    if (!QFile::exists(file))
        return;
    try {
        const Json json = readJsonFile(file.toStdString());
        bool clean = false;
        if (json.is_object()) {
            m_paused = json.value("paused", false);
            clean = json.value("clean", false);
            for (const Json& entry : json.value("jobs", Json::array())) {
                Job job;
                job.arm = textAt(entry, "arm");
                job.seed = integerAt(entry, "seed");
                job.run = textAt(entry, "run");
                job.pid = integerAt(entry, "pid");
                job.processStart = integerAt(entry, "process_start");
                job.device = textAt(entry, "device");
                job.running = job.pid > 0 && isAlive(job);
                if (job.pid > 0 && !job.running)
                    continue;  // ended while nobody looked
                if (!job.run.isEmpty())
                    m_jobs.push_back(job);
            }
        }
        if (!clean && waiting() > 0 && !m_readOnly) {
            m_paused = true;
            m_cameBackPaused = true;
        }
        save(false);
    } catch (const std::exception& error) {
        Q_EMIT failed(tr("The queue could not be read and starts empty: %1").arg(QString::fromUtf8(error.what())));
    }
}

void JobQueue::save(bool clean)
{
    if (m_project.isEmpty() || m_readOnly)
        return;
    Json jobs = Json::array();
    for (const Job& job : m_jobs) {
        Json entry = {{"arm", job.arm.toStdString()}, {"seed", job.seed}, {"run", job.run.toStdString()}};
        if (job.running) {
            entry["pid"] = job.pid;
            entry["process_start"] = job.processStart;
            entry["device"] = job.device.toStdString();
        }
        jobs.push_back(std::move(entry));
    }
    try {
        writeFileAtomic((m_project + "/queue.json").toStdString(), dumpPretty({{"format", 1}, {"paused", m_paused}, {"clean", clean}, {"jobs", std::move(jobs)}}));
    } catch (const Error& error) {
        Q_EMIT failed(QString::fromUtf8(error.what()));
    }
}

int JobQueue::running() const { return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(), [](const Job& j) { return j.running; })); }
int JobQueue::waiting() const { return static_cast<int>(m_jobs.size()) - running(); }

bool JobQueue::contains(const QString& run) const
{
    return std::any_of(m_jobs.begin(), m_jobs.end(), [&](const Job& j) { return j.run == run; });
}

void JobQueue::add(const std::vector<Job>& jobs)
{
    if (m_readOnly) {
        Q_EMIT failed(tr("%1: another window or program holds this project; this one only looks on.").arg(m_project));
        return;
    }
    for (const Job& job : jobs)
        if (!contains(job.run))
            m_jobs.push_back(job);
    save(false);
    tick();
    Q_EMIT changed();
}

void JobQueue::removeWaiting(int index)
{
    if (index < 0 || index >= static_cast<int>(m_jobs.size()) || m_jobs[static_cast<std::size_t>(index)].running)
        return;
    m_jobs.erase(m_jobs.begin() + index);
    save(false);
    Q_EMIT changed();
}

void JobQueue::move(int from, int to)
{
    const int size = static_cast<int>(m_jobs.size());
    if (from < 0 || from >= size || to < 0 || to >= size || m_jobs[static_cast<std::size_t>(from)].running)
        return;
    const Job job = m_jobs[static_cast<std::size_t>(from)];
    m_jobs.erase(m_jobs.begin() + from);
    m_jobs.insert(m_jobs.begin() + to, job);
    save(false);
    Q_EMIT changed();
}

void JobQueue::clearWaiting()
{
    std::erase_if(m_jobs, [](const Job& j) { return !j.running; });
    save(false);
    Q_EMIT changed();
}

void JobQueue::setPaused(bool paused)
{
    m_paused = paused;
    m_cameBackPaused = false;
    save(false);
    tick();
    Q_EMIT changed();
}

QString JobQueue::freeDevice() const
{
    for (const QString& device : m_devices)
        if (std::none_of(m_jobs.begin(), m_jobs.end(), [&](const Job& j) { return j.running && j.device == device; }))
            return device;
    return {};
}

void JobQueue::tick()
{
    if (m_project.isEmpty() || m_readOnly)
        return;
    bool any = false;
    for (std::size_t i = 0; i < m_jobs.size();) {
        if (m_jobs[i].running && !isAlive(m_jobs[i])) {
            const QString run = m_jobs[i].run;
            m_jobs.erase(m_jobs.begin() + static_cast<std::ptrdiff_t>(i));
            any = true;
            Q_EMIT jobEnded(run);
        } else {
            ++i;
        }
    }
    while (!m_paused) {
        const auto next = std::find_if(m_jobs.begin(), m_jobs.end(), [](const Job& j) { return !j.running; });
        const QString device = freeDevice();
        if (next == m_jobs.end() || device.isEmpty())
            break;
        any = true;
        const auto started = m_controller.start(m_project, m_project + "/runs/" + next->run, next->arm, next->seed, device);
        if (!started.problem.isEmpty()) {
            // The reason holds for the others too; they stay until somebody has looked.
            m_paused = true;
            Q_EMIT failed(started.problem);
            break;
        }
        next->running = true;
        next->pid = started.pid;
        next->processStart = startOf(started.pid);
        next->device = device;
    }
    if (any) {
        save(false);
        Q_EMIT changed();
    }
}

}  // namespace holo::bridge
