#include "core/eval/swap_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace holo::eval {

namespace {

using HeadList = std::vector<std::pair<int, int>>;

HeadList specialHeads(const ladder::Plan& plan)
{
    std::map<int, HeadList> byLadder;
    std::size_t count = 0;
    for (std::size_t layer = 0; layer < plan.heads.size(); ++layer)
        for (std::size_t head = 0; head < plan.heads[layer].size(); ++head, ++count)
            byLadder[plan.heads[layer][head].ladder].emplace_back(int(layer), int(head));
    HeadList special;
    for (const auto& [ladder, heads] : byLadder)
        if (byLadder.size() == 1 || 2 * heads.size() < count || (2 * heads.size() == count && ladder == plan.heads[0][0].ladder))
            special.insert(special.end(), heads.begin(), heads.end());
    std::sort(special.begin(), special.end());
    return special;
}

// Index in 0 … count−1, or −1 for "*".
int indexOf(const std::string& text, const std::string& item, int count)
{
    if (text == "*")
        return -1;
    const auto value = parseInt(text);
    if (!value || *value < 0 || *value >= count)
        throw Error::at(ErrorKind::Usage, {.field = "heads", .found = "\"" + item + "\"", .allowed = "special, all or L:H,… with indices below the model's, * for any"});
    return int(*value);
}

bool isPlain(const ladder::Ladder& ladder)
{
    return !ladder.fourier && ladder.damping.empty() && ladder.positionPeriod == 0 && ladder.lengthRule == ladder::LengthRule::Fixed && ladder.keptPositions == 0;
}

// θ of `trained` with the planes of `part` moved towards `target`.
ladder::Ladder mixed(const ladder::Ladder& trained, const ladder::Ladder& target, const SwapPart& part)
{
    for (const ladder::Ladder* ladder : {&trained, &target})
        if (!isPlain(*ladder))
            throw Error::at(ErrorKind::Unsupported, {.field = "planes", .found = "the ladder " + ladder->name, .allowed = "whole heads, as its planes are not plain frequencies"});
    const std::size_t planes = trained.theta.size();
    const std::size_t begin = part.planes ? std::size_t(part.planes->first) : 0;
    const std::size_t end = part.planes ? std::size_t(part.planes->second) : planes;
    if (part.planes && trained.tableScale != target.tableScale)
        throw Error::at(ErrorKind::Unsupported, {.field = "planes", .found = "ladders with different temperatures", .allowed = "whole heads"});
    if (target.theta.size() != planes)
        throw Error(ErrorKind::Internal, "ladders of " + std::to_string(planes) + " and " + std::to_string(target.theta.size()) + " planes cannot be mixed.");
    ladder::Ladder ladder = trained;
    ladder.kind = ladder::Kind::Custom;
    ladder.exact.reset();
    for (std::size_t i = begin; i < end; ++i)
        ladder.theta[i] = part.lambda == 1 ? target.theta[i] : (1 - part.lambda) * trained.theta[i] + part.lambda * target.theta[i];
    ladder.tableScale = (1 - part.lambda) * trained.tableScale + part.lambda * target.tableScale;
    const std::string range = part.planes ? "[" + std::to_string(begin) + "," + std::to_string(end) + ")" : "";
    ladder.name = trained.name + " with " + target.name + range + (part.lambda == 1 ? "" : " λ=" + formatDouble(part.lambda));
    ladder.parameters = ladder.name;
    std::vector<std::string> digits;
    for (const double theta : ladder.theta)
        digits.push_back(formatDouble(theta));
    ladder.hash = sha256(join(digits, ","));
    return ladder;
}

}  // namespace

HeadList chosenHeads(const ladder::Plan& trained, const std::string& heads, const std::vector<int>& layers)
{
    for (const int layer : layers)
        if (layer < 0 || layer >= trained.shape.layers)
            throw Error::at(ErrorKind::Usage, {.field = "layers", .found = std::to_string(layer), .allowed = "0 to " + std::to_string(trained.shape.layers - 1)});
    std::set<std::pair<int, int>> chosen;
    if (heads == "special") {
        const HeadList special = specialHeads(trained);
        chosen.insert(special.begin(), special.end());
    } else {
        for (const std::string& item : heads == "all" ? std::vector<std::string>{"*:*"} : split(heads, ',')) {
            const std::vector<std::string> parts = split(std::string(trimmed(item)), ':');
            if (parts.size() != 2)
                throw Error::at(ErrorKind::Usage, {.field = "heads", .found = "\"" + item + "\"", .allowed = "special, all or L:H,…"});
            const int layer = indexOf(parts[0], item, trained.shape.layers);
            const int head = indexOf(parts[1], item, trained.shape.heads);
            for (int l = 0; l < trained.shape.layers; ++l)
                for (int h = 0; h < trained.shape.heads; ++h)
                    if ((layer < 0 || l == layer) && (head < 0 || h == head))
                        chosen.emplace(l, h);
        }
    }
    HeadList list;
    for (const auto& at : chosen)
        if (layers.empty() || std::find(layers.begin(), layers.end(), at.first) != layers.end())
            list.push_back(at);
    if (list.empty())
        throw Error::at(ErrorKind::Usage, {.field = "heads", .found = heads, .allowed = "a choice that holds at least one head"});
    return list;
}

ladder::Plan swappedPlan(const ladder::Plan& trained, const ladder::Plan& target, const SwapPart& part)
{
    const int planes = trained.shape.rotaryDim / 2;
    if (part.planes && (part.planes->first < 0 || part.planes->first >= part.planes->second || part.planes->second > planes))
        throw Error::at(ErrorKind::Usage, {.field = "planes", .found = std::to_string(part.planes->first) + ":" + std::to_string(part.planes->second),
                                           .allowed = "A:B with 0 <= A < B <= " + std::to_string(planes)});
    const bool wholeHeads = !part.planes && part.lambda == 1;
    const bool everywhere = part.heads.size() == std::size_t(trained.shape.layers) * std::size_t(trained.shape.heads);
    if (wholeHeads && everywhere)
        return target;
    if (trained.landmarkBlock != target.landmarkBlock || trained.logLengthTemperature != target.logLengthTemperature || trained.temperatureOffset != target.temperatureOffset)
        throw Error::at(ErrorKind::Unsupported, {.field = "heads", .found = "a part of them", .allowed = "all, as the schemes differ in what concerns whole layers"});

    ladder::Plan plan = trained;
    std::map<std::pair<int, int>, int> mixes;  // (trained, target) → new ladder
    const int offset = int(plan.ladders.size());
    if (wholeHeads)
        plan.ladders.insert(plan.ladders.end(), target.ladders.begin(), target.ladders.end());
    for (const auto& [layer, head] : part.heads) {
        ladder::HeadAssignment& own = plan.heads[std::size_t(layer)][std::size_t(head)];
        const ladder::HeadAssignment& theirs = target.heads[std::size_t(layer)][std::size_t(head)];
        if (wholeHeads) {
            own = theirs;
            own.ladder += offset;
            continue;
        }
        if (own.slope != theirs.slope || own.window != theirs.window || own.form != theirs.form)
            throw Error::at(ErrorKind::Unsupported, {.field = "planes", .found = "schemes that differ in bias, window or form", .allowed = "whole heads"});
        const auto key = std::pair(own.ladder, theirs.ladder);
        if (!mixes.count(key)) {
            mixes[key] = int(plan.ladders.size());
            plan.ladders.push_back(mixed(trained.ladders[std::size_t(own.ladder)], target.ladders[std::size_t(theirs.ladder)], part));
        }
        own.temperature = (1 - part.lambda) * own.temperature + part.lambda * theirs.temperature;
        own.ladder = mixes[key];
    }

    // Equal ladders are one, whichever scheme brought them.
    for (auto& row : plan.heads)
        for (ladder::HeadAssignment& head : row) {
            const ladder::Ladder& own = plan.ladders[std::size_t(head.ladder)];
            const auto same = std::find_if(plan.ladders.begin(), plan.ladders.end(), [&own](const ladder::Ladder& l) { return l.kind == own.kind && l.hash == own.hash && l.parameters == own.parameters; });
            head.ladder = int(same - plan.ladders.begin());
        }

    // Heads that share a key head need one ladder.
    const int group = plan.shape.heads / plan.shape.kvHeads;
    for (int layer = 0; layer < plan.shape.layers; ++layer)
        for (int head = 0; head < plan.shape.heads; ++head) {
            const auto& row = plan.heads[std::size_t(layer)];
            const int first = head - head % group;
            if (row[std::size_t(head)].ladder != row[std::size_t(first)].ladder)
                throw Error(ErrorKind::Usage, "heads " + std::to_string(first) + " and " + std::to_string(head) + " of layer " + std::to_string(layer) + " share one key head, so they can only be swapped together.",
                            {.field = "heads", .found = std::to_string(layer) + ":" + std::to_string(head), .allowed = "whole groups of " + std::to_string(group)});
        }

    // Ladders that no head uses any more leave; the rest in order of first use.
    std::vector<int> renamed(plan.ladders.size(), -1);
    std::vector<ladder::Ladder> kept;
    for (auto& row : plan.heads)
        for (ladder::HeadAssignment& head : row) {
            int& index = renamed[std::size_t(head.ladder)];
            if (index < 0) {
                index = int(kept.size());
                kept.push_back(plan.ladders[std::size_t(head.ladder)]);
            }
            head.ladder = index;
        }
    plan.ladders = std::move(kept);
    return plan;
}

}  // namespace holo::eval
