#include "kernels/activation/activation.h"

#include "kernels/activation/activation_rows.h"
#include "kernels/common/column_sums.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace holo::kernels {

namespace {

Isa checkedPath(const ActivationParams& p, bool pointers, std::optional<Isa> path)
{
    const auto refuse = [](const std::string& what) { throw std::invalid_argument("activation: " + what); };
    if (p.rows < 0 || p.width < 1)
        refuse("rows and width are " + std::to_string(p.rows) + " and " + std::to_string(p.width) + "; allowed: 0 or more and 1 or more.");
    if (p.dtype != Dtype::Float32 && p.dtype != Dtype::BFloat16)
        refuse("dtype is neither float32 nor bfloat16.");
    if (p.rows > 0 && (!pointers || !p.up || (p.kind == Activation::SwiGlu && !p.gate)))
        refuse("a pointer is null that this call needs.");
    const Isa isa = path.value_or(bestIsa());
    if (!available(isa))
        refuse("the " + std::string(isaName(isa)) + " path is not available on this processor.");
    return isa;
}

}  // namespace

void activationForward(const ActivationParams& params, void* y, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const Isa isa = checkedPath(params, y != nullptr, path);
    auto rows = activationForwardPlain;
#if HOLO_KERNELS_X86
    rows = isa == Isa::Avx512 ? activationForwardAvx512 : isa == Isa::Avx2 ? activationForwardAvx2 : activationForwardPlain;
#endif
    parallelFor(params.rows, kChunkRows * chunkGrain(params.width), [&](std::int64_t begin, std::int64_t end) { rows(params, y, begin, end); });
}

void activationBackward(const ActivationParams& params, const ActivationGradients& gradients, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const Isa isa = checkedPath(params, gradients.dy && gradients.dup && (params.kind == Activation::Gelu || gradients.dgate), path);
    auto rows = activationBackwardPlain;
#if HOLO_KERNELS_X86
    rows = isa == Isa::Avx512 ? activationBackwardAvx512 : isa == Isa::Avx2 ? activationBackwardAvx2 : activationBackwardPlain;
#endif
    const std::int64_t chunks = chunksOf(params.rows);
    const std::int64_t columns = kActivationSums * params.width;
    std::vector<float> partial(std::size_t(chunks * columns), 0.0f);
    parallelFor(chunks, chunkGrain(params.width), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t chunk = begin; chunk < end; ++chunk)
            rows(params, gradients, chunk * kChunkRows, std::min(params.rows, (chunk + 1) * kChunkRows), partial.data() + chunk * columns);
    });
    if (!gradients.dupBias && !gradients.dgateBias)
        return;
    std::vector<float> sums(static_cast<std::size_t>(columns));
    addChunks(partial, chunks, columns, sums.data(), parallelFor);
    if (gradients.dupBias)
        std::copy_n(sums.data(), params.width, gradients.dupBias);
    if (gradients.dgateBias)
        std::copy_n(sums.data() + params.width, params.width, gradients.dgateBias);
}

}  // namespace holo::kernels
