#include "kernels/rotary/rotary.h"

#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_rows.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace holo::kernels {

namespace {

bool empty(const RotaryParams& p)
{
    return p.batch == 0 || p.tokens == 0;
}

std::string number(std::int64_t value)
{
    return std::to_string(value);
}

std::optional<std::string> groupProblem(const RotaryParams& p, int g, bool readPositions)
{
    const RotaryHeads& heads = p.group[g];
    const LadderTables& tables = heads.tables;
    const std::string name = "rotary: group " + number(g) + ": ";
    if (heads.heads < 0)
        return name + "heads is " + number(heads.heads) + "; allowed: 0 or more.";
    if (empty(p) || heads.heads == 0)
        return {};
    if (!heads.input || !heads.output)
        return name + "input or output is null; allowed: pointers to the first head of the first token.";
    if (heads.input == heads.output
        && (heads.inputBatch != heads.outputBatch || heads.inputToken != heads.outputToken || heads.inputHead != heads.outputHead))
        return name + "input and output are one buffer with different strides; allowed: equal strides in place.";
    bool rotates = p.rotaryDim > 0;
    if (heads.ladders && readPositions) {
        rotates = false;
        for (int h = 0; h < heads.heads; ++h) {
            if (heads.ladders[h] == kNoLadder)
                continue;
            rotates = p.rotaryDim > 0;
            if (heads.ladders[h] >= tables.ladders)
                return name + "ladder of head " + number(h) + " is " + number(heads.ladders[h]) + "; allowed: below "
                    + number(tables.ladders) + ", or 255 for an unrotated head.";
        }
    }
    if (!rotates)
        return {};
    if (!tables.cosines || !tables.sines)
        return name + "a table is null; allowed: cosines and sines of every ladder.";
    if (tables.planes != p.rotaryDim / 2)
        return name + "the tables have " + number(tables.planes) + " planes; allowed: rotaryDim / 2 = " + number(p.rotaryDim / 2) + ".";
    if (tables.ladders < 1 || tables.ladders > 255)
        return name + "ladders is " + number(tables.ladders) + "; allowed: 1 to 255.";
    if (p.positions.given && !readPositions)
        return {};
    for (std::int64_t b = 0; b < (p.positions.given ? p.batch : 1); ++b) {
        // Without given positions the first and the last token bound all others.
        const std::int64_t step = p.positions.given || p.tokens < 3 ? 1 : p.tokens - 1;
        for (std::int64_t t = 0; t < p.tokens; t += step) {
            const std::int64_t position = p.positions.at(b, t);
            if (position < 0 || position >= tables.positions)
                return name + "position of batch row " + number(b) + ", token " + number(t) + " is " + number(position)
                    + "; allowed: 0 to " + number(tables.positions - 1) + ", the rows of the tables.";
        }
        if (p.positions.given && p.positions.batchStride == 0)
            break;
    }
    return {};
}

// Heads in runs; owns what the plan points to. Of the 16-bit types, whose rotation needs more instructions than memory needs time, the
// heads of a ladder come one after the other; of the others all heads do as they lie in memory.
struct Runs {
    explicit Runs(const RotaryParams& params)
        : plan{params}
    {
        std::size_t total = 0;
        for (int g = 0; g < params.groups; ++g)
            total += std::size_t(params.group[g].heads);
        ladderRows.reserve(total);
        heads.reserve(total);
        for (int g = 0; g < params.groups; ++g)
            addGroup(plan.params.group[g]);
        plan.runs = runs.data();
        plan.runCount = std::int32_t(runs.size());
    }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    void addGroup(const RotaryHeads& group)
    {
        for (std::int32_t next = 0; next < group.heads;)
            next = addRun(group, next);
    }

    // One past the last head of the run that begins with head `first`.
    std::int32_t addRun(const RotaryHeads& group, std::int32_t first)
    {
        const RotaryParams& p = plan.params;
        const auto ladderOf = [&](std::int32_t h) { return p.rotaryDim == 0 ? kNoLadder : group.ladders ? group.ladders[h] : std::uint8_t(0); };
        const bool rotates = ladderOf(first) != kNoLadder;
        HeadRun run;
        run.group = &group;
        run.ladderRows = ladderRows.data() + ladderRows.size();
        run.heads = heads.data() + heads.size();
        run.copies = group.input != group.output && (!rotates || p.rotaryDim < p.headDim);
        std::vector<std::uint8_t> ladders;
        std::int32_t h = first;
        for (; h < group.heads && (ladderOf(h) != kNoLadder) == rotates; ++h) {
            const auto known = std::find(ladders.begin(), ladders.end(), ladderOf(h));
            const auto slot = std::int32_t(known - ladders.begin());
            if (rotates && known == ladders.end()) {
                if (slot == kStagedLadders)
                    break;
                ladders.push_back(ladderOf(h));
                ladderRows.push_back(group.tables.rowOffset(ladderOf(h), 0));
            }
            heads.push_back({h * group.inputHead, h * group.outputHead, 0, slot * 2 * kStagedPlanes});
        }
        run.count = h - first;
        run.ladders = std::int32_t(ladders.size());
        if (sizeOf(p.dtype) == 2)
            std::stable_sort(heads.end() - run.count, heads.end(), [](const RowHead& a, const RowHead& b) { return a.staged < b.staged; });
        for (std::int32_t i = 0; i < run.count; ++i)
            heads[heads.size() - std::size_t(run.count - i)].fetched = (first + i) * group.inputHead;
        if (!runs.empty() && p.rotaryDim <= 2 * kStagedPlanes) {
            const HeadRun& last = runs.back();
            run.staged = last.group->tables.cosines == group.tables.cosines && last.group->tables.sines == group.tables.sines
                && std::equal(run.ladderRows, run.ladderRows + run.ladders, last.ladderRows, last.ladderRows + last.ladders);
        }
        if (rotates || run.copies)
            runs.push_back(run);
        return h;
    }

    RowPlan plan;
    std::vector<HeadRun> runs;
    std::vector<std::int64_t> ladderRows;
    std::vector<RowHead> heads;
};

}  // namespace

std::optional<std::string> rotaryProblem(const RotaryParams& p, bool readPositions)
{
    if (p.batch < 0 || p.tokens < 0)
        return "rotary: batch and tokens are " + number(p.batch) + " and " + number(p.tokens) + "; allowed: 0 or more.";
    if (p.headDim < 1)
        return "rotary: headDim is " + number(p.headDim) + "; allowed: 1 or more.";
    if (p.rotaryDim < 0 || p.rotaryDim > p.headDim || p.rotaryDim % 2 != 0)
        return "rotary: rotaryDim is " + number(p.rotaryDim) + "; allowed: even, 0 to headDim (" + number(p.headDim) + ").";
    if (p.groups < 0 || p.groups > kMaxHeadGroups)
        return "rotary: groups is " + number(p.groups) + "; allowed: 0 to " + number(kMaxHeadGroups) + ".";
    for (int g = 0; g < p.groups; ++g) {
        if (auto problem = groupProblem(p, g, readPositions))
            return problem;
    }
    return {};
}

Isa rotaryPath(const RotaryParams& params)
{
    return params.dtype == Dtype::Float64 ? Isa::Plain : bestIsa();
}

void rotate(const RotaryParams& params, const ParallelFor& parallelFor, std::optional<Isa> path)
{
    if (const auto problem = rotaryProblem(params))
        throw std::invalid_argument(*problem);
    const Isa isa = path.value_or(rotaryPath(params));
    if (!available(isa))
        throw std::invalid_argument("rotary: the " + std::string(isaName(isa)) + " path is not available on this processor.");
    if (empty(params))
        return;
    const Runs runs(params);
    if (runs.runs.empty())
        return;
    auto rows = rotateRowsPlain;
#if HOLO_KERNELS_X86
    if (isa == Isa::Avx2)
        rows = rotateRowsAvx2;
    else if (isa == Isa::Avx512)
        rows = rotateRowsAvx512;
#endif
    const RotaryItems items{params.batch, params.tokens};
    std::int64_t heads = 0;
    for (const HeadRun& run : runs.runs)
        heads += run.count;
    // Some 32 thousand elements keep a thread busy for longer than it takes to wake it.
    const std::int64_t perItem = RotaryItems::kTokens * heads * params.headDim;
    const std::int64_t grain = perItem >= 32768 ? 1 : 32768 / perItem;
    parallelFor(items.count(), grain, [&](std::int64_t begin, std::int64_t end) { rows(runs.plan, begin, end); });
}

RotaryCost rotaryCost(const RotaryParams& p)
{
    RotaryCost cost;
    const double tokens = double(p.batch) * double(p.tokens);
    const double size = double(sizeOf(p.dtype));
    for (int g = 0; g < p.groups; ++g) {
        const RotaryHeads& heads = p.group[g];
        for (std::int32_t h = 0; h < heads.heads; ++h) {
            const bool rotates = !heads.ladders || heads.ladders[h] != kNoLadder;
            const double moved = heads.input != heads.output ? p.headDim : rotates ? p.rotaryDim : 0;
            cost.bytesRead += tokens * moved * size;
            cost.bytesWritten += tokens * moved * size;
            cost.flops += rotates ? tokens * 3 * p.rotaryDim : 0;
        }
    }
    return cost;
}

}  // namespace holo::kernels
