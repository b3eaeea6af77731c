#include "app/bridge/machine_load.h"

#include <QFile>
#include <QLibrary>
#include <QThread>
#include <cmath>
#include <limits>
#include <unistd.h>

namespace holo::bridge {

namespace {

QByteArray contentOf(const QString& file)
{
    QFile f(file);
    return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
}

// The fields after the name in brackets, which may itself hold blanks and brackets.
QList<QByteArray> statOf(std::int64_t pid)
{
    const QByteArray text = contentOf(QStringLiteral("/proc/%1/stat").arg(pid));
    return text.mid(text.lastIndexOf(')') + 2).split(' ');
}

}  // namespace

// The few functions of NVIDIA's management library that we use, resolved at run time; the layouts are those of its public header.
struct LoadMeter::Nvml {
    struct Utilization {
        unsigned gpu;
        unsigned memory;
    };
    struct Memory {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    };
    QLibrary library;
    int (*handle)(unsigned, void**) = nullptr;
    int (*name)(void*, char*, unsigned) = nullptr;
    int (*utilization)(void*, Utilization*) = nullptr;
    int (*memory)(void*, Memory*) = nullptr;
    std::vector<void*> devices;

    explicit Nvml(const QString& file)
        : library(file)
    {
        const auto get = [this](auto& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.resolve(symbol));
            return function != nullptr;
        };
        int (*init)() = nullptr;
        int (*count)(unsigned*) = nullptr;
        unsigned n = 0;
        if (!get(init, "nvmlInit_v2") || !get(count, "nvmlDeviceGetCount_v2") || !get(handle, "nvmlDeviceGetHandleByIndex_v2") || !get(name, "nvmlDeviceGetName")
            || !get(utilization, "nvmlDeviceGetUtilizationRates") || !get(memory, "nvmlDeviceGetMemoryInfo") || init() != 0 || count(&n) != 0)
            return;
        for (unsigned i = 0; i < n; ++i)
            if (void* device = nullptr; handle(i, &device) == 0)
                devices.push_back(device);
    }

    std::vector<GpuLoad> loads() const
    {
        std::vector<GpuLoad> list;
        for (void* device : devices) {
            char text[96] = {};
            Utilization u{};
            Memory m{};
            if (name(device, text, sizeof text) == 0 && utilization(device, &u) == 0 && memory(device, &m) == 0)
                list.push_back({QString::fromUtf8(text), static_cast<int>(u.gpu), static_cast<double>(m.used), static_cast<double>(m.total)});
        }
        return list;
    }
};

LoadMeter::LoadMeter(const QString& nvml)
    : m_library(nvml)
{
}

LoadMeter::~LoadMeter() = default;

MachineLoad LoadMeter::sample(const std::vector<std::int64_t>& pids)
{
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - m_last).count();
    MachineLoad load;
    load.cores = QThread::idealThreadCount();
    // user nice system idle iowait irq softirq steal
    const auto cpu = contentOf("/proc/stat").split('\n').value(0).simplified().split(' ');
    double total = 0;
    for (int i = 1; i <= 8; ++i)
        total += cpu.value(i).toDouble();
    const double idle = cpu.value(4).toDouble() + cpu.value(5).toDouble();
    load.busy = m_total > 0 && total > m_total ? 1 - (idle - m_idle) / (total - m_total) : std::numeric_limits<double>::quiet_NaN();
    m_total = total;
    m_idle = idle;
    double available = 0;
    for (const QByteArray& line : contentOf("/proc/meminfo").split('\n')) {
        const double bytes = 1024 * line.simplified().split(' ').value(1).toDouble();
        if (line.startsWith("MemTotal:"))
            load.totalBytes = bytes;
        else if (line.startsWith("MemAvailable:"))
            available = bytes;
    }
    load.usedBytes = load.totalBytes - available;
    const double ticksASecond = static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::map<std::int64_t, double> ticks;
    for (const std::int64_t pid : pids) {
        const auto fields = statOf(pid);
        if (fields.size() < 22)
            continue;
        ticks[pid] = fields[11].toDouble() + fields[12].toDouble();
        const auto before = m_ticks.find(pid);
        load.processes[pid] = {before == m_ticks.end() || seconds <= 0 ? std::numeric_limits<double>::quiet_NaN() : (ticks[pid] - before->second) / ticksASecond / seconds,
            fields[21].toDouble() * static_cast<double>(::sysconf(_SC_PAGESIZE))};
    }
    m_ticks = std::move(ticks);
    m_last = now;
    if (!m_nvml)
        m_nvml = std::make_unique<Nvml>(m_library);
    load.gpus = m_nvml->loads();
    return load;
}

}  // namespace holo::bridge
