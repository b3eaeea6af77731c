#pragma once

#include <string>

#include "core/base/json.h"

namespace holo::bench {

// One-minute figure of /proc/loadavg; NaN where there is none.
double loadAverage();
constexpr double kQuietLoad = 0.3;  // above it a timing is disturbed

// Name of the processor, as rows and reports call the device.
std::string cpuDevice();
// "cuda:0" where a CUDA device answers, else empty. The first call opens the CUDA libraries.
std::string cudaDevice();

// Threads of the process's one pool; 0 leaves it as it is.
void useThreads(int threads);
int threadsInUse();

// Processor, instruction sets, threads, load and library versions: what a timing needs beside it.
Json environmentJson();

}  // namespace holo::bench
