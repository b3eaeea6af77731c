#include "core/ladder/plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ladder/head_scheme.h"
#include "core/ladder/kinds.h"

namespace holo::ladder {

namespace {

constexpr int kFree = -1;

void require(bool holds, const std::string& field, const std::string& found, const std::string& allowed)
{
    if (!holds)
        throw Error::at(ErrorKind::Usage, {.field = field, .found = found, .allowed = allowed});
}

void checkShape(const ModelShape& s)
{
    require(s.layers >= 1 && s.layers <= 4096, "layers", std::to_string(s.layers), "1 to 4096");
    require(s.heads >= 1 && s.heads <= 4096, "heads", std::to_string(s.heads), "1 to 4096");
    require(s.kvHeads >= 1 && s.heads % s.kvHeads == 0, "kv_heads", std::to_string(s.kvHeads), "a divisor of the " + std::to_string(s.heads) + " heads");
    require(s.headDim >= 1 && s.headDim <= 65536, "head_dim", std::to_string(s.headDim), "1 to 65536");
    require(s.rotaryDim >= 0 && s.rotaryDim <= s.headDim && s.rotaryDim % 2 == 0, "rotary_dim", std::to_string(s.rotaryDim), "an even width from 0 to the head's " + std::to_string(s.headDim));
    require(s.context >= 2 && s.context <= (std::int64_t(1) << 26), "context", std::to_string(s.context), "2 to 67108864 tokens");
    require(std::isfinite(s.base) && s.base > 1, "base", formatDouble(s.base), "a finite number > 1");
}

std::string headList(const std::vector<int>& heads)
{
    std::vector<std::string> names;
    for (const int h : heads)
        names.push_back(std::to_string(h));
    return join(names, ", ");
}

// [layer][head] → index of the part, by lists and shares in order.
std::vector<std::vector<int>> divideHeads(const std::vector<Part>& parts, const ModelShape& shape)
{
    std::vector<std::vector<int>> owner(std::size_t(shape.layers), std::vector<int>(std::size_t(shape.heads), kFree));
    double shares = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        const std::string field = "hybrid." + (part.name.empty() ? std::to_string(i) : part.name);
        const bool hasShare = part.share != -1;
        require(!hasShare || (part.share >= 0 && part.share <= 1), field + ".share", formatDouble(part.share), "0 to 1");
        require(!hasShare || part.heads.empty(), field, "a share and a list of heads", "one of both");
        for (const int layer : part.layers)
            require(layer >= 0 && layer < shape.layers, field + ".layers", std::to_string(layer), "0 to " + std::to_string(shape.layers - 1));
        for (const int head : part.heads)
            require(head >= 0 && head < shape.heads, field + ".heads", std::to_string(head), "0 to " + std::to_string(shape.heads - 1));
        const bool takesRest = !hasShare && part.heads.empty();
        require(!takesRest || !part.layers.empty() || i + 1 == parts.size(), field, "without share, layers and heads", "a share or lists for every part but the last");
        if (hasShare && part.layers.empty())
            shares += part.share;
        require(shares <= 1 + 1e-9, field + ".share", formatDouble(part.share), "shares that sum to 1 at most");

        for (int layer = 0; layer < shape.layers; ++layer) {
            if (!part.layers.empty() && std::find(part.layers.begin(), part.layers.end(), layer) == part.layers.end())
                continue;
            auto& row = owner[std::size_t(layer)];
            for (const int head : part.heads) {
                require(row[std::size_t(head)] == kFree || row[std::size_t(head)] == int(i), field + ".heads", std::to_string(head), "heads that no earlier part took in layer " + std::to_string(layer));
                row[std::size_t(head)] = int(i);
            }
            int left = hasShare ? headsOfShare(part.share, shape.heads) : takesRest ? shape.heads : 0;
            for (int& head : row)
                if (head == kFree && left > 0) {
                    head = int(i);
                    --left;
                }
        }
    }
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int head = 0; head < shape.heads; ++head)
            require(owner[std::size_t(layer)][std::size_t(head)] != kFree, "hybrid.parts", "no part for head " + std::to_string(head) + " of layer " + std::to_string(layer), "a last part without share and lists, which takes the rest");
    return owner;
}

class PlanBuilder {
public:
    explicit PlanBuilder(const ModelShape& shape) { m_plan.shape = shape; }

    int indexOf(Ladder ladder)
    {
        const auto key = std::tuple(ladder.kind, ladder.hash, ladder.parameters);
        if (const auto it = m_known.find(key); it != m_known.end())
            return it->second;
        const int same = int(std::count_if(m_plan.ladders.begin(), m_plan.ladders.end(), [&](const Ladder& l) { return l.name == ladder.name || l.name.starts_with(ladder.name + " #"); }));
        if (same > 0)
            ladder.name += " #" + std::to_string(same + 1);
        const int index = int(m_plan.ladders.size());
        m_plan.ladders.push_back(std::move(ladder));
        m_known.emplace(key, index);
        return index;
    }

    Plan m_plan;

private:
    std::map<std::tuple<Kind, std::string, std::string>, int> m_known;
};

// Keys of a group are rotated once, so its query heads must share a ladder.
void checkGroups(const Plan& plan, const std::vector<Part>& parts, const std::vector<std::vector<int>>& owner)
{
    const int group = plan.shape.heads / plan.shape.kvHeads;
    for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
        for (std::size_t head = 0; head < plan.heads[layer].size(); ++head) {
            const std::size_t first = head - head % std::size_t(group);
            if (plan.heads[layer][head].ladder == plan.heads[layer][first].ladder)
                continue;
            const auto& row = owner[layer];
            const int special = row[first];
            const int count = int(std::count(row.begin(), row.end(), special));
            const Part& part = parts[std::size_t(special)];
            std::string nearest;
            std::string field = "hybrid." + (part.name.empty() ? std::to_string(special) : part.name);
            if (part.share != -1) {
                const int heads = std::clamp(int(std::lround(double(count) / group)), 1, plan.shape.kvHeads) * group;
                field += ".share";
                nearest = "share=" + formatDouble(double(heads) / plan.shape.heads) + " (" + std::to_string(heads) + " heads)";
            } else {
                std::vector<int> whole;
                for (int g = 0; g < plan.shape.kvHeads; ++g) {
                    int taken = 0;
                    for (int h = g * group; h < (g + 1) * group; ++h)
                        taken += row[std::size_t(h)] == special ? 1 : 0;
                    for (int h = g * group; taken > 0 && 2 * taken >= group && h < (g + 1) * group; ++h)
                        whole.push_back(h);
                }
                if (whole.empty())
                    for (int h = int(first); h < int(first) + group; ++h)
                        whole.push_back(h);
                field += ".heads";
                nearest = "heads " + headList(whole);
            }
            throw Error(ErrorKind::Usage,
                        field + " puts different ladders on heads " + std::to_string(first) + " and " + std::to_string(head) + " of layer " + std::to_string(layer) + ", which share one key head (groups of " +
                            std::to_string(group) + "); the nearest possible plan is " + nearest + ".",
                        {.field = field, .found = std::to_string(count) + " heads", .allowed = nearest});
        }
}

}  // namespace

std::vector<Part> hybridParts(const Scheme& scheme)
{
    for (const auto& [key, value] : scheme.parameters)
        checkParameter(kindInfo(Kind::Hybrid), key, value);
    std::vector<Part> parts = scheme.parts;
    if (parts.empty()) {
        const auto text = [&](const char* key) {
            const auto it = scheme.parameters.find(key);
            return it == scheme.parameters.end() ? std::string(kindInfo(Kind::Hybrid).find(key)->fallback) : std::get<std::string>(it->second);
        };
        const auto share = scheme.parameters.find("share");
        parts.push_back({"special", {parseKind(text("special")), {}, {}}, share == scheme.parameters.end() ? .25 : std::get<double>(share->second), {}, {}});
        parts.push_back({"rest", {parseKind(text("rest")), {}, {}}, -1, {}, {}});
    } else if (const auto share = scheme.parameters.find("share"); share != scheme.parameters.end()) {
        Part& special = parts.front();
        require(special.share == -1 && special.heads.empty(), "hybrid.share", valueText(share->second), "a share in one place only");
        special.share = std::get<double>(share->second);
    } else if (parts.size() > 1 && parts.front().share == -1 && parts.front().layers.empty() && parts.front().heads.empty()) {
        parts.front().share = .25;
    }
    for (const Part& part : parts)
        require(part.scheme.kind != Kind::Hybrid && part.scheme.kind != Kind::Landmark && part.scheme.kind != Kind::MobiusAttention, "hybrid." + part.name, std::string(kindName(part.scheme.kind)),
                "a scheme that acts on single heads");
    return parts;
}

Plan resolve(const Scheme& scheme, const ModelShape& shape)
{
    checkShape(shape);
    PlanBuilder builder(shape);
    Plan& plan = builder.m_plan;

    std::vector<Part> parts;
    if (scheme.kind == Kind::Hybrid) {
        parts = hybridParts(scheme);
    } else {
        require(scheme.parts.empty(), std::string(kindName(scheme.kind)) + ".parts", std::to_string(scheme.parts.size()) + " parts", "parts in a hybrid only");
        parts.push_back({std::string(kindName(scheme.kind)), scheme, -1, {}, {}});
    }
    const auto owner = divideHeads(parts, shape);

    std::vector<HeadScheme> schemes;
    for (const Part& part : parts)
        schemes.emplace_back(part.scheme, shape);
    std::int64_t special = 0;
    std::vector<bool> used(parts.size(), false);
    for (int layer = 0; layer < shape.layers; ++layer) {
        auto& row = plan.heads.emplace_back();
        for (int head = 0; head < shape.heads; ++head) {
            const int part = owner[std::size_t(layer)][std::size_t(head)];
            auto [ladder, assignment] = schemes[std::size_t(part)].at(layer, head);
            assignment.ladder = builder.indexOf(std::move(ladder));
            row.push_back(assignment);
            special += part == 0 ? 1 : 0;
            used[std::size_t(part)] = true;
        }
    }
    plan.share = double(special) / (double(shape.layers) * shape.heads);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (used[i])
            schemes[i].apply(plan);
        else
            plan.notes.push_back("No head is left for \"" + parts[i].name + "\".");
    }
    if (scheme.kind == Kind::Hybrid)
        plan.notes.push_back("\"" + parts.front().name + "\" is on " + formatFixed(100 * plan.share, 1) + " % of the heads.");
    checkGroups(plan, parts, owner);
    return std::move(plan);
}

bool Plan::separateKeyTables() const
{
    return std::any_of(ladders.begin(), ladders.end(), [](const Ladder& ladder) { return !ladder.damping.empty(); });
}

bool Plan::isUniform() const
{
    const HeadAssignment& first = heads.front().front();
    for (const auto& row : heads)
        for (const HeadAssignment& h : row)
            if (h.ladder != first.ladder || h.slope != first.slope || h.window != first.window || h.temperature != first.temperature || h.form != first.form)
                return false;
    return true;
}

}  // namespace holo::ladder
