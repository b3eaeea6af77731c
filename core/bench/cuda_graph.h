#pragma once

#include <functional>

namespace c10 {
class Stream;
}

namespace holo::bench {

// Launches recorded once and replayed as one. The CUDA run time is already in the process; its functions are looked up by name, since the
// engine links none of it. Throws std::runtime_error naming the call that failed.
class CudaGraph {
public:
    // `record` queues its work on `stream`, which must be the current one and not the default one.
    CudaGraph(const c10::Stream& stream, const std::function<void()>& record);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    void launch() const;

private:
    void* m_stream = nullptr;
    void* m_executable = nullptr;
};

}  // namespace holo::bench
