#pragma once

#include <functional>

#include "kernels/common/parallel_for.h"

namespace holo::bench {

// Ways to cut a kernel's work that a thread pool could also choose.
const kernels::ParallelFor& cutWhole();      // one piece
const kernels::ParallelFor& cutBackwards();  // single items, the last one first

// Runs `body` with so many threads in the process's pool and puts their number back.
void withThreads(int threads, const std::function<void()>& body);

}  // namespace holo::bench
