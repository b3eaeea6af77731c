#include "kernels/rotary/rotary.h"

#include "kernels/rotary/rotary_index.h"
#include "kernels/rotary/rotary_rows.h"

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

// Heads in runs of one ladder each; owns what the plan points to. Of the 16-bit types, whose conversions make a table row dear, all
// heads of a ladder form one run; of the others only neighbours do, since jumping to and fro in memory costs more there (measured
// with every fourth head on a second ladder: 0.78 and 1.35 times the speed of the other choice).
struct Runs {
    explicit Runs(const RotaryParams& params)
        : plan{params}
    {
        std::size_t total = 0;
        for (int g = 0; g < params.groups; ++g)
            total += std::size_t(params.group[g].heads);
        inputOffsets.reserve(total);
        outputOffsets.reserve(total);
        for (int g = 0; g < params.groups; ++g)
            addGroup(plan.params.group[g]);
        plan.runs = runs.data();
        plan.runCount = std::int32_t(runs.size());
    }
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;

    void addGroup(const RotaryHeads& heads)
    {
        const auto ladderOf = [&](std::int32_t h) {
            return plan.params.rotaryDim == 0 ? int(kNoLadder) : heads.ladders ? int(heads.ladders[h]) : 0;
        };
        const bool collects = sizeOf(plan.params.dtype) == 2;
        std::vector<bool> taken(std::size_t(heads.heads), false);
        for (std::int32_t first = 0; first < heads.heads; ++first) {
            if (taken[std::size_t(first)])
                continue;
            const int ladder = ladderOf(first);
            HeadRun run;
            run.heads = &heads;
            run.inputOffsets = inputOffsets.data() + inputOffsets.size();
            run.outputOffsets = outputOffsets.data() + outputOffsets.size();
            for (std::int32_t h = first; h < heads.heads && (collects || ladderOf(h) == ladder); ++h) {
                if (ladderOf(h) != ladder)
                    continue;
                taken[std::size_t(h)] = true;
                inputOffsets.push_back(h * heads.inputHead);
                outputOffsets.push_back(h * heads.outputHead);
                ++run.count;
            }
            run.copies = heads.input != heads.output && (ladder == kNoLadder || plan.params.rotaryDim < plan.params.headDim);
            if (ladder != kNoLadder) {
                run.cosines = heads.tables.cosines + heads.tables.rowOffset(ladder, 0);
                run.sines = heads.tables.sines + heads.tables.rowOffset(ladder, 0);
            }
            if (run.cosines || run.copies)
                runs.push_back(run);
        }
    }

    RowPlan plan;
    std::vector<HeadRun> runs;
    std::vector<std::int64_t> inputOffsets;
    std::vector<std::int64_t> outputOffsets;
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
