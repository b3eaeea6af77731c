#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "core/run/run_directory.h"

namespace holo::run {

// Refreshes heartbeat.json every second from a thread of its own, so that long evaluations and saves show life too. The thread touches
// nothing but its two numbers and the file, blocks all signals, and is joined on destruction. A full disk does not disturb it.
class HeartbeatWriter {
public:
    explicit HeartbeatWriter(const RunDirectory& run, std::int64_t step = 0);
    ~HeartbeatWriter();

    void setStep(std::int64_t step) { m_step = step; }
    void setPaused(bool paused) { m_paused = paused; }

private:
    void loop();
    void write() const;

    RunDirectory m_run;
    std::atomic<std::int64_t> m_step{0};
    std::atomic<bool> m_paused{false};
    bool m_ending = false;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::thread m_thread;
};

}  // namespace holo::run
