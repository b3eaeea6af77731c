#include "core/ladder/description.h"

#include "core/ladder/frequencies.h"
#include "core/ladder/kinds.h"
#include "core/ladder/length_scaling.h"
#include "core/ladder/phase_table.h"

namespace holo::ladder {

LadderDescription describe(const Ladder& ladder, std::int64_t length)
{
    LadderDescription d;
    d.name = ladder.name;
    d.kind = kindName(ladder.kind);
    d.parameters = ladder.parameters;
    d.context = ladder.context;
    d.base = ladder.base;
    d.length = length > 0 ? length : ladder.context;
    d.effectiveBase = effectiveBase(ladder, d.length);
    Ladder inForce = ladder;
    inForce.theta = thetaAtLength(ladder, d.length);
    d.theta = inForce.theta;
    d.period = periods(d.theta);
    d.turns = turns(d.theta, ladder.context);
    d.holonomy = holonomy(inForce);
    d.undertrained = undertrainedPlanes(d.theta, ladder.context);
    d.tableScale = ladder.tableScale;
    d.temperature = ladder.tableScale * ladder.tableScale;
    d.hash = ladder.hash;
    d.summary = kernelSummary(ladder, d.length);
    return d;
}

double effectiveBase(const Ladder& ladder, std::int64_t length)
{
    const int width = 2 * int(ladder.theta.size());
    if (width < 4)
        return ladder.base;
    if (ladder.kind == Kind::Ntk)
        return ntkBase(ladder.base, width, ladder.factor);
    if (ladder.lengthRule == LengthRule::DynamicNtk)
        return dynamicNtkBase(ladder.base, width, ladder.factor, ladder.context, length);
    return ladder.base;
}

std::vector<std::pair<int, int>> headsWithLadder(const Plan& plan, int ladder)
{
    std::vector<std::pair<int, int>> heads;
    for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
        for (std::size_t head = 0; head < plan.heads[layer].size(); ++head)
            if (plan.heads[layer][head].ladder == ladder)
                heads.emplace_back(int(layer), int(head));
    return heads;
}

}  // namespace holo::ladder
