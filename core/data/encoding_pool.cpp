#include "core/data/encoding_pool.h"

#include <algorithm>

namespace holo::data {

EncodingPool::EncodingPool(const Tokenizer& tokenizer, unsigned threads)
    : m_tokenizer(tokenizer)
{
    const unsigned count = threads > 0 ? threads : std::clamp(std::thread::hardware_concurrency(), 1u, 64u);
    for (unsigned i = 0; i < count; ++i)
        m_threads.emplace_back([this] { work(); });
}

EncodingPool::~EncodingPool()
{
    const std::lock_guard lock(m_mutex);
    m_closing = true;
    m_tasks.clear();
    m_wake.notify_all();
}

void EncodingPool::submit(Block block)
{
    std::packaged_task<Block()> task([this, block = std::move(block)]() mutable {
        for (Segment& segment : block) {
            if (segment.continued)
                m_tokenizer.encodeContinued(segment.text, segment.ids);
            else
                m_tokenizer.encode(segment.text, segment.ids);
        }
        return std::move(block);
    });
    m_results.push_back(task.get_future());
    const std::lock_guard lock(m_mutex);
    m_tasks.push_back(std::move(task));
    m_wake.notify_one();
}

EncodingPool::Block EncodingPool::takeOldest()
{
    Block block = m_results.front().get();
    m_results.pop_front();
    return block;
}

void EncodingPool::work()
{
    for (;;) {
        std::packaged_task<Block()> task;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_closing || !m_tasks.empty(); });
            if (m_tasks.empty())
                return;
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        task();
    }
}

}  // namespace holo::data
