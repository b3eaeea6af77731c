#include "core/bench/cuda_graph.h"

#include <stdexcept>
#include <string>

#include <c10/core/Stream.h>
#include <dlfcn.h>

namespace holo::bench {

namespace {

constexpr int kCaptureThreadLocal = 1;  // cudaStreamCaptureModeThreadLocal

template <class Function>
Function* find(const char* name)
{
    void* symbol = dlsym(RTLD_DEFAULT, name);
    if (!symbol)
        throw std::runtime_error(std::string("the CUDA run time in this process has no function ") + name + ".");
    return reinterpret_cast<Function*>(symbol);
}

template <class... Declared, class... Given>
void call(const char* name, int (*)(Declared...), Given... arguments)
{
    if (const int code = find<int(Declared...)>(name)(arguments...); code != 0)
        throw std::runtime_error(std::string(name) + " failed with CUDA error " + std::to_string(code) + ".");
}

}  // namespace

CudaGraph::CudaGraph(const c10::Stream& stream, const std::function<void()>& record)
    : m_stream(stream.native_handle())
{
    using Begin = int(void*, int);
    using End = int(void*, void**);
    using Instantiate = int(void**, void*, unsigned long long);
    call("cudaStreamBeginCapture", static_cast<Begin*>(nullptr), m_stream, kCaptureThreadLocal);
    record();
    void* graph = nullptr;
    call("cudaStreamEndCapture", static_cast<End*>(nullptr), m_stream, &graph);
    call("cudaGraphInstantiate", static_cast<Instantiate*>(nullptr), &m_executable, graph, 0ull);
    call("cudaGraphDestroy", static_cast<int (*)(void*)>(nullptr), graph);
}

CudaGraph::~CudaGraph()
{
    if (const auto destroy = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "cudaGraphExecDestroy")); destroy && m_executable)
        destroy(m_executable);
}

void CudaGraph::launch() const
{
    call("cudaGraphLaunch", static_cast<int (*)(void*, void*)>(nullptr), m_executable, m_stream);
}

}  // namespace holo::bench
