#include "core/bench/environment.h"

#include <cmath>
#include <fstream>

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include "core/base/text.h"
#include "core/ops/device.h"
#include "kernels/common/isa.h"

namespace holo::bench {

namespace {

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            if (const auto colon = line.find(':'); colon != std::string::npos)
                return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    return "unknown processor";
}

// First line of a library's description: name and version.
std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

double loadAverage()
{
    std::ifstream file("/proc/loadavg");
    std::string first;
    file >> first;
    return parseDouble(first).value_or(std::nan(""));
}

std::string cpuDevice()
{
    static const std::string name = "cpu (" + processorName() + ")";
    return name;
}

std::string cudaDevice()
{
    static const at::Device device = ops::selectDevice("auto");
    return device.is_cpu() ? "" : ops::deviceText(device);
}

void useThreads(int threads)
{
    if (threads > 0)
        at::set_num_threads(threads);
}

int threadsInUse() { return at::get_num_threads(); }

Json environmentJson()
{
    return {{"device", cpuDevice()},
            {"cuda", cudaDevice().empty() ? Json() : Json(cudaDevice())},
            {"kernels", kernels::isaName(kernels::bestIsa())},
            {"threads", threadsInUse()},
            {"load", number(loadAverage())},
            {"libtorch", TORCH_VERSION},
            {"mkl", firstLine(at::get_mkl_version())},
            {"onednn", firstLine(at::get_mkldnn_version())}};
}

}  // namespace holo::bench
