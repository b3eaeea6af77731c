#include "core/run/heartbeat.h"

#include <chrono>
#include <csignal>

#include "core/base/error.h"

namespace holo::run {

HeartbeatWriter::HeartbeatWriter(const RunDirectory& run, std::int64_t step)
    : m_run(run)
    , m_step(step)
{
    m_run.writeHeartbeat(ownHeartbeat(step, false));  // a folder that cannot be written shows here, as Error
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits it
    m_thread = std::thread([this] { loop(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HeartbeatWriter::~HeartbeatWriter()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_all();
    m_thread.join();
    write();
}

void HeartbeatWriter::write() const
{
    try {
        m_run.writeHeartbeat(ownHeartbeat(m_step, m_paused));
    } catch (const std::exception&) {
        return;  // the next one tries again
    }
}

void HeartbeatWriter::loop()
{
    std::unique_lock lock(m_mutex);
    while (!m_wake.wait_for(lock, std::chrono::seconds(1), [this] { return m_ending; })) {
        lock.unlock();
        write();
        lock.lock();
    }
}

}  // namespace holo::run
