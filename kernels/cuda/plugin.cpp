#include "kernels/cuda/plugin.h"

#include "kernels/rotary/rotary.h"
#include "kernels/rotary/rotary_cuda.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <string>

extern "C" {

__attribute__((visibility("default"))) std::int32_t holonomyCudaInterface()
{
    return HOLONOMY_CUDA_INTERFACE;
}

__attribute__((visibility("default"))) std::int32_t holonomyCudaDevices()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();  // or the next call reports this one's error
        return 0;
    }
    return count;
}

__attribute__((visibility("default"))) const char* holonomyCudaRotate(const holo::kernels::RotaryParams* params, void* stream)
{
    thread_local std::string message;
    try {
        if (const auto problem = holo::kernels::rotaryProblem(*params, false)) {
            message = *problem;
            return message.c_str();
        }
        const auto error = static_cast<cudaError_t>(holo::kernels::launchRotary(*params, stream));
        if (error == cudaSuccess)
            return nullptr;
        message = std::string("rotary: the CUDA launch failed: ") + cudaGetErrorString(error) + ".";
        return message.c_str();
    } catch (const std::exception&) {
        return "rotary: out of memory while describing a problem.";
    }
}

}  // extern "C"
