#include "core/bench/memory.h"

#include <algorithm>
#include <memory>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <sys/resource.h>

namespace holo::bench {

namespace {

class Counter : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override
    {
        m_held += size;
        m_memory.allocated += std::max<std::int64_t>(size, 0);
        m_memory.peak = std::max(m_memory.peak, m_held);
    }
    bool memoryProfilingEnabled() const override { return true; }
    const TensorMemory& memory() const { return m_memory; }

private:
    TensorMemory m_memory;
    std::int64_t m_held = 0;
};

}  // namespace

TensorMemory tensorMemory(const std::function<void()>& body)
{
    const auto counter = std::make_shared<Counter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
    body();
    return counter->memory();
}

std::int64_t minorFaults()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

}  // namespace holo::bench
