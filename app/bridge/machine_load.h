#pragma once

#include <QString>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace holo::bridge {

struct ProcessLoad {
    double cores = 0;  // processor seconds a second
    double bytes = 0;  // resident
};

struct GpuLoad {
    QString name;
    int percent = 0;  // of the time with a kernel on it
    double usedBytes = 0;
    double totalBytes = 0;
};

struct MachineLoad {
    double busy = 0;  // share of all cores, 0…1; NaN before the second sample
    int cores = 0;
    double usedBytes = 0;
    double totalBytes = 0;
    std::vector<GpuLoad> gpus;  // none without NVIDIA's management library or a device
    std::map<std::int64_t, ProcessLoad> processes;
};

// Load of this machine and of some of its processes, from /proc and, where it is there, libnvidia-ml. Loads are those since the sample
// before. Not for the window's thread: the first call to NVIDIA's library may take a second.
class LoadMeter {
public:
    explicit LoadMeter(const QString& nvml = QStringLiteral("libnvidia-ml.so.1"));
    ~LoadMeter();
    MachineLoad sample(const std::vector<std::int64_t>& pids);

private:
    struct Nvml;
    QString m_library;
    std::unique_ptr<Nvml> m_nvml;  // from the first sample on
    double m_total = 0;  // ticks
    double m_idle = 0;
    std::map<std::int64_t, double> m_ticks;
    std::chrono::steady_clock::time_point m_last;
};

}  // namespace holo::bridge
