#pragma once

#include "core/bench/bench.h"

namespace holo::bench {

// The rotary goals of a GPU: R3, R4, R5 and R8, or one row each that says that there is no device.
std::vector<Row> benchRotaryCuda(const BenchOptions& options);

// Waits until a CUDA device has done all its work, then reads the steady clock.
double cudaSeconds();

}  // namespace holo::bench
