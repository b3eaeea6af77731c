#include "kernels/classifier/classifier.h"

#include "kernels/classifier/classifier_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace holo::kernels {

namespace {

Isa checkedPath(const ClassifierParams& p, std::optional<Isa> path)
{
    const auto refuse = [](const std::string& what) { throw std::invalid_argument("classifier: " + what); };
    if (p.rows < 0 || p.vocabulary < 1)
        refuse("rows and vocabulary are " + std::to_string(p.rows) + " and " + std::to_string(p.vocabulary) + "; allowed: 0 or more and 1 or more.");
    if (p.dtype != Dtype::Float32 && p.dtype != Dtype::BFloat16)
        refuse("dtype is neither float32 nor bfloat16.");
    if (p.rows > 0 && (!p.logits || !p.targets))
        refuse("logits or targets are null.");
    for (std::int64_t r = 0; r < p.rows; ++r)
        if (p.targets[r] >= p.vocabulary)
            refuse("the target of row " + std::to_string(r) + " is " + std::to_string(p.targets[r]) + "; allowed: below " + std::to_string(p.vocabulary)
                + ", or negative for a row that is not scored.");
    const Isa isa = path.value_or(bestIsa());
    if (!available(isa))
        refuse("the " + std::string(isaName(isa)) + " path is not available on this processor.");
    return isa;
}

}  // namespace

double classifierLoss(const ClassifierParams& params, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const Isa isa = checkedPath(params, path);
    auto function = classifierRowsPlain;
#if HOLO_KERNELS_X86
    function = isa == Isa::Avx512 ? classifierRowsAvx512 : isa == Isa::Avx2 ? classifierRowsAvx2 : classifierRowsPlain;
#endif
    std::vector<ClassifierRow> rows(static_cast<std::size_t>(params.rows));
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / params.vocabulary);
    parallelFor(params.rows, grain, [&](std::int64_t begin, std::int64_t end) { function(params, rows.data(), begin, end); });
    double loss = 0;
    for (const ClassifierRow& row : rows)
        loss += std::log(row.sum) - row.target;
    return loss;
}

}  // namespace holo::kernels
