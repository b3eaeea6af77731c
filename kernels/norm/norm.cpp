#include "kernels/norm/norm.h"

#include "kernels/common/column_sums.h"
#include "kernels/norm/norm_rows.h"

#include <algorithm>
#include <stdexcept>

namespace holo::kernels {

namespace {

Isa checkedPath(const NormParams& p, bool pointers, std::optional<Isa> path)
{
    const auto refuse = [](const std::string& what) { throw std::invalid_argument("norm: " + what); };
    if (p.rows < 0 || p.width < 1)
        refuse("rows and width are " + std::to_string(p.rows) + " and " + std::to_string(p.width) + "; allowed: 0 or more and 1 or more.");
    if (p.outputs < 1 || p.outputs > 2)
        refuse("outputs is " + std::to_string(p.outputs) + "; allowed: 1 or 2.");
    if (p.dtype != Dtype::Float32 && p.dtype != Dtype::BFloat16)
        refuse("dtype is neither float32 nor bfloat16.");
    if (p.rows > 0 && !pointers)
        refuse("a pointer is null that this call needs.");
    const Isa isa = path.value_or(bestIsa());
    if (!available(isa))
        refuse("the " + std::string(isaName(isa)) + " path is not available on this processor.");
    return isa;
}

bool given(const void* const* pointers, std::int32_t count)
{
    return std::all_of(pointers, pointers + count, [](const void* p) { return p != nullptr; });
}

}  // namespace

void normForward(const NormParams& params, const NormForward& forward, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const bool branches = forward.sum ? forward.a != nullptr : !forward.a && !forward.b;
    const bool pointers = forward.x && branches && (params.rms || forward.mean) && forward.scale && given(forward.y, params.outputs);
    const Isa isa = checkedPath(params, pointers, path);
    auto rows = normForwardPlain;
#if HOLO_KERNELS_X86
    rows = isa == Isa::Avx512 ? normForwardAvx512 : isa == Isa::Avx2 ? normForwardAvx2 : normForwardPlain;
#endif
    parallelFor(params.rows, kChunkRows * chunkGrain(params.width), [&](std::int64_t begin, std::int64_t end) { rows(params, forward, begin, end); });
}

void normBackward(const NormParams& params, const NormBackward& backward, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const bool pointers = backward.sum && (params.rms || backward.mean) && backward.scale && backward.dx && given(backward.dy, params.outputs);
    const Isa isa = checkedPath(params, pointers, path);
    auto rows = normBackwardPlain;
#if HOLO_KERNELS_X86
    rows = isa == Isa::Avx512 ? normBackwardAvx512 : isa == Isa::Avx2 ? normBackwardAvx2 : normBackwardPlain;
#endif
    const std::int64_t chunks = chunksOf(params.rows);
    const std::int64_t columns = kNormSums * params.width;
    std::vector<float> partial(std::size_t(chunks * columns), 0.0f);
    parallelFor(chunks, chunkGrain(params.width), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t chunk = begin; chunk < end; ++chunk)
            rows(params, backward, chunk * kChunkRows, std::min(params.rows, (chunk + 1) * kChunkRows), partial.data() + chunk * columns);
    });
    std::vector<float> sums(static_cast<std::size_t>(columns));
    addChunks(partial, chunks, columns, sums.data(), parallelFor);
    float* const wanted[] = {backward.dweight[0], backward.dbias[0], backward.dweight[1], backward.dbias[1], backward.dbranchBias};
    for (std::int64_t s = 0; s < kNormSums; ++s)
        if (wanted[s])
            std::copy_n(sums.data() + s * params.width, params.width, wanted[s]);
}

}  // namespace holo::kernels
