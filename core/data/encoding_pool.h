#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/data/tokenizer.h"

namespace holo::data {

// Encodes blocks of text on threads of its own and gives them back in the order in which they came.
class EncodingPool {
public:
    // Text that may be encoded by itself (core/data/document_cutter.h), and afterwards its ids.
    struct Segment {
        std::string text;
        bool continued = false;  // of a document that began earlier
        std::size_t tag = 0;     // the caller's
        std::vector<std::uint32_t> ids;
    };
    using Block = std::vector<Segment>;

    EncodingPool(const Tokenizer& tokenizer, unsigned threads);  // 0: one a core
    ~EncodingPool();
    EncodingPool(const EncodingPool&) = delete;
    EncodingPool& operator=(const EncodingPool&) = delete;

    void submit(Block block);
    bool isFull() const { return m_results.size() >= 2 * m_threads.size() + 1; }  // enough is waiting; take the oldest first
    bool isEmpty() const { return m_results.empty(); }
    Block takeOldest();  // waits for it; throws what the encoder threw

private:
    void work();

    const Tokenizer& m_tokenizer;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::packaged_task<Block()>> m_tasks;
    bool m_closing = false;
    std::deque<std::future<Block>> m_results;
    std::vector<std::jthread> m_threads;
};

}  // namespace holo::data
