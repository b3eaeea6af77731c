#include "core/ops/device.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "kernels/cuda/plugin.h"

namespace holo::ops {

namespace {

struct Plugin {
    HolonomyCudaRotate* rotate = nullptr;
    int devices = 0;
    std::string problem;  // why there is no CUDA
};

// The driver is asked directly, so that a machine without one opens none of the large libraries.
std::string driverProblem()
{
    void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return "there is no CUDA driver";
    const auto initialise = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
    int devices = 0;
    if (!initialise || !count || initialise(0) != 0 || count(&devices) != 0 || devices == 0)
        return "the CUDA driver finds no device";
    return {};
}

Plugin openPlugin()
{
    Plugin plugin;
    plugin.problem = driverProblem();
    if (!plugin.problem.empty())
        return plugin;
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);  // repeatable products; read when CUDA starts
    if (!::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) {
        plugin.problem = std::string("LibTorch's CUDA part does not load: ") + ::dlerror();
        return plugin;
    }
    const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libholonomy_cuda.so";
    void* library = ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = ::dlopen("libholonomy_cuda.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        plugin.problem = std::string("the kernel plug-in does not load: ") + ::dlerror();
        return plugin;
    }
    const auto interface = reinterpret_cast<HolonomyCudaInterface*>(::dlsym(library, "holonomyCudaInterface"));
    const auto devices = reinterpret_cast<HolonomyCudaDevices*>(::dlsym(library, "holonomyCudaDevices"));
    plugin.rotate = reinterpret_cast<HolonomyCudaRotate*>(::dlsym(library, "holonomyCudaRotate"));
    if (!interface || !devices || !plugin.rotate || interface() != HOLONOMY_CUDA_INTERFACE) {
        plugin.problem = "the kernel plug-in is of another version";
        return plugin;
    }
    plugin.devices = at::hasCUDA() ? devices() : 0;
    if (plugin.devices == 0)
        plugin.problem = "no usable CUDA device";
    else
        at::globalContext().setDeterministicAlgorithms(true, true);
    return plugin;
}

const Plugin& plugin()
{
    static const Plugin opened = openPlugin();
    return opened;
}

}  // namespace

at::Device selectDevice(const std::string& text)
{
    if (text == "cpu")
        return at::kCPU;
    std::int64_t index = 0;
    if (text.starts_with("cuda:"))
        index = parseInt(std::string_view(text).substr(5)).value_or(-1);
    if ((text != "auto" && text != "cuda" && !text.starts_with("cuda:")) || index < 0)
        throw Error(ErrorKind::Usage, "--device is " + text + "; allowed: auto, cpu, cuda:K.", {"", "--device", text, "auto, cpu, cuda:K"});
    if (text == "auto" && !plugin().problem.empty())
        return at::kCPU;
    if (!plugin().problem.empty())
        throw Error(ErrorKind::Unsupported, "--device is " + text + ", but " + plugin().problem + ".", {"", "--device", text, "cpu"});
    if (index >= plugin().devices)
        throw Error(ErrorKind::Unsupported, "--device is " + text + "; this machine has " + std::to_string(plugin().devices) + ".", {"", "--device", text, "cuda:0 to cuda:" + std::to_string(plugin().devices - 1)});
    return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

std::string deviceText(at::Device device) { return device.str(); }

void rotateOnCuda(const kernels::RotaryParams& params, at::Device device)
{
    if (!plugin().rotate)
        throw Error(ErrorKind::Unsupported, "rotary: there is no kernel for device " + device.str() + " (" + plugin().problem + ").");
    const c10::DeviceGuard guard(device);
    const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
    if (const char* problem = plugin().rotate(&params, stream.native_handle()))
        throw Error(ErrorKind::Internal, std::string("rotary on ") + device.str() + ": " + problem);
}

}  // namespace holo::ops
