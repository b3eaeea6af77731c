#include "kernels/attention/attention.h"

#include "kernels/attention/attention_work.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

namespace holo::kernels {

namespace {

std::string number(std::int64_t value)
{
    return std::to_string(value);
}

// Without queries there is no output, but the gradients of the keys still have to become zeros.
bool empty(const AttentionParams& p)
{
    return p.batch == 0 || p.keys == 0 || p.heads == 0;
}

std::optional<std::string> tableProblem(const AttentionParams& p, const LadderTables& tables, const std::uint8_t* ladders,
    std::int32_t heads, std::int64_t firstToken, const std::string& name)
{
    bool rotates = !ladders;
    for (std::int32_t h = 0; ladders && h < heads; ++h) {
        rotates = rotates || ladders[h] != kNoLadder;
        if (ladders[h] != kNoLadder && ladders[h] >= tables.ladders)
            return "attention: ladder of " + name + " head " + number(h) + " is " + number(ladders[h]) + "; allowed: below "
                + number(tables.ladders) + ", or 255 for an unrotated head.";
    }
    if (!rotates)
        return {};
    if (!tables.sines)
        return "attention: the sine table of " + name + " is null; allowed: one beside the cosines.";
    if (tables.planes != p.rotaryDim / 2)
        return "attention: the tables of " + name + " have " + number(tables.planes) + " planes; allowed: rotaryDim / 2 = "
            + number(p.rotaryDim / 2) + ".";
    if (tables.ladders < 1)
        return "attention: ladders of " + name + " is " + number(tables.ladders) + "; allowed: 1 to 255.";
    const bool given = p.positions.given;
    const std::int64_t rows = given && p.positions.batchStride != 0 ? p.batch : 1;
    const std::int64_t step = given ? 1 : std::max<std::int64_t>(1, p.keys - 1 - firstToken);
    for (std::int64_t b = 0; b < rows; ++b) {
        for (std::int64_t t = firstToken; t < p.keys; t += step) {
            const std::int64_t position = p.positions.at(b, t);
            if (position < 0 || position >= tables.positions)
                return "attention: position of batch row " + number(b) + ", token " + number(t) + " is " + number(position)
                    + "; allowed: 0 to " + number(tables.positions - 1) + ", the rows of the tables of " + name + ".";
        }
    }
    return {};
}

void check(const AttentionParams& params, bool pointers, Isa isa)
{
    if (const auto problem = attentionProblem(params))
        throw std::invalid_argument(*problem);
    if (params.dtype == Dtype::Float64)
        throw std::invalid_argument("attention: dtype is float64; allowed: float32, bfloat16 or float16.");
    if (!pointers && !empty(params))
        throw std::invalid_argument("attention: a pointer is null; allowed: null for logSumExp of forward alone.");
    if (!available(isa))
        throw std::invalid_argument("attention: the " + std::string(isaName(isa)) + " path is not available on this processor.");
}

using TaskFunction = void (*)(const AttentionWork&, std::int64_t, float*);

struct AlignedDelete {
    void operator()(float* p) const { ::operator delete(p, std::align_val_t(64)); }
};

void run(const AttentionWork& work, std::int64_t scratchFloats, TaskFunction function, const ParallelFor& parallelFor)
{
    parallelFor(work.tasks.count, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::unique_ptr<float, AlignedDelete> scratch(
            static_cast<float*>(::operator new(std::size_t(scratchFloats) * sizeof(float), std::align_val_t(64))));
        for (std::int64_t task = begin; task < end; ++task)
            function(work, task, scratch.get());
    });
}

// Few heads: forward is cut along the queries as well, into at least 16 tasks of at least 64 queries.
AttentionTasks tasksOf(const AttentionParams& p, bool cutsQueries)
{
    AttentionTasks tasks;
    tasks.keyHeads = p.batch * p.keyHeads;
    const std::int64_t wanted = cutsQueries && tasks.keyHeads < 16 ? (15 + tasks.keyHeads) / tasks.keyHeads : 1;
    const std::int64_t chunk = std::max<std::int64_t>(64, (p.queries + wanted - 1) / wanted);
    tasks.chunkQueries = (chunk + kMaxQueryBlock - 1) / kMaxQueryBlock * kMaxQueryBlock;
    tasks.chunks = (p.queries + tasks.chunkQueries - 1) / tasks.chunkQueries;
    tasks.count = tasks.keyHeads * tasks.chunks;
    return tasks;
}

constexpr std::int64_t kPiece = 16;  // each piece of scratch begins on a cache line

}  // namespace

std::int64_t forwardScratch(const AttentionParams& p)
{
    const std::int64_t padded = paddedDim(p.headDim);
    return 2 * packedRows(p.keys) * padded + 3 * kMaxQueryBlock * padded + keyBlock(padded) * kMaxQueryBlock + 6 * kPiece;
}

std::int64_t backwardScratch(const AttentionParams& p)
{
    const std::int64_t padded = paddedDim(p.headDim);
    return 4 * packedRows(p.keys) * padded + 6 * kMaxQueryBlock * padded + 2 * keyBlock(padded) * kMaxQueryBlock + 12 * kPiece;
}

std::optional<std::string> attentionProblem(const AttentionParams& p)
{
    if (p.batch < 0 || p.queries < 0 || p.keys < p.queries)
        return "attention: batch, queries and keys are " + number(p.batch) + ", " + number(p.queries) + " and " + number(p.keys)
            + "; allowed: 0 or more, and at least as many keys as queries.";
    if (p.keys >= std::int64_t(1) << 30)
        return "attention: keys is " + number(p.keys) + "; allowed: below 2^30.";
    if (p.heads < 0 || (p.heads > 0 && (p.keyHeads < 1 || p.heads % p.keyHeads != 0)))
        return "attention: heads is " + number(p.heads) + " with " + number(p.keyHeads)
            + " key heads; allowed: a multiple of the key heads.";
    if (p.headDim < 1 || p.headDim > kMaxHeadDim)
        return "attention: headDim is " + number(p.headDim) + "; allowed: 1 to " + number(kMaxHeadDim) + ".";
    if (p.rotaryDim < 0 || p.rotaryDim > p.headDim || p.rotaryDim % 2 != 0)
        return "attention: rotaryDim is " + number(p.rotaryDim) + "; allowed: even, 0 to headDim (" + number(p.headDim) + ").";
    if (empty(p))
        return {};
    if ((!p.q.data && p.queries > 0) || !p.k.data || !p.v.data)
        return "attention: q, k or v is null; allowed: the first element of each.";
    if (p.rotaryDim > 0 && p.queryTables.cosines) {
        if (auto problem = tableProblem(p, p.queryTables, p.queryLadders, p.heads, p.keys - p.queries, "q"))
            return problem;
    }
    if (p.rotaryDim > 0 && p.keyTables.cosines)
        return tableProblem(p, p.keyTables, p.keyLadders, p.keyHeads, 0, "k");
    return {};
}

bool attentionSupports(const AttentionParams& p)
{
    return p.dtype != Dtype::Float64 && p.headDim <= kMaxHeadDim;
}

void attentionForward(const AttentionParams& params, const AttentionOutput& out, float* logSumExp, const ParallelFor& parallelFor,
    std::optional<Isa> path)
{
    const Isa isa = path.value_or(bestIsa());
    check(params, out.data || params.queries == 0, isa);
    if (empty(params))
        return;
    AttentionWork work{params, tasksOf(params, true), out, logSumExp, {}};
    TaskFunction function = attentionForwardPlain;
#if HOLO_KERNELS_X86
    if (isa == Isa::Avx2)
        function = attentionForwardAvx2;
    else if (isa == Isa::Avx512)
        function = attentionForwardAvx512;
#endif
    run(work, forwardScratch(params), function, parallelFor);
}

void attentionBackward(const AttentionParams& params, const AttentionGradients& g, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    const Isa isa = path.value_or(bestIsa());
    check(params, g.dk.data && g.dv.data && (params.queries == 0 || (g.out.data && g.dout.data && g.logSumExp && g.dq.data)), isa);
    if (empty(params))
        return;
    AttentionWork work{params, tasksOf(params, false), {}, nullptr, g};
    work.tasks.chunks = 1;
    work.tasks.count = work.tasks.keyHeads;
    TaskFunction function = attentionBackwardPlain;
#if HOLO_KERNELS_X86
    if (isa == Isa::Avx2)
        function = attentionBackwardAvx2;
    else if (isa == Isa::Avx512)
        function = attentionBackwardAvx512;
#endif
    run(work, backwardScratch(params), function, parallelFor);
}

AttentionCost attentionCost(const AttentionParams& p)
{
    AttentionCost cost;
    for (std::int32_t h = 0; h < p.heads; ++h) {
        const std::int64_t window = p.windows && p.windows[h] > 0 ? p.windows[h] : p.keys;
        for (std::int64_t b = 0; b < p.batch; ++b) {
            for (std::int64_t i = 0; i < p.queries; ++i) {
                const std::int64_t own = i + p.keys - p.queries;
                std::int64_t first = std::max<std::int64_t>(0, own - window + 1);
                if (p.firstKey)
                    first = std::max<std::int64_t>(first, p.firstKey[b * p.firstKeyBatchStride + i]);
                cost.pairs += double(std::max<std::int64_t>(0, own - first + 1));
            }
        }
    }
    cost.forwardFlops = 4.0 * p.headDim * cost.pairs;
    cost.backwardFlops = 10.0 * p.headDim * cost.pairs;
    return cost;
}

}  // namespace holo::kernels
