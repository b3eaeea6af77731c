#include "core/bench/threads.h"

#include <ATen/Parallel.h>

namespace holo::bench {

const kernels::ParallelFor& cutWhole()
{
    static const kernels::ParallelFor whole = kernels::serialFor;
    return whole;
}

const kernels::ParallelFor& cutBackwards()
{
    static const kernels::ParallelFor backwards = [](std::int64_t count, std::int64_t, const kernels::ParallelBody& body) {
        for (std::int64_t i = count; i-- > 0;)
            body(i, i + 1);
    };
    return backwards;
}

void withThreads(int threads, const std::function<void()>& body)
{
    struct Restore {
        int before = at::get_num_threads();
        ~Restore() { at::set_num_threads(before); }
    } restore;
    at::set_num_threads(threads);
    body();
}

}  // namespace holo::bench
