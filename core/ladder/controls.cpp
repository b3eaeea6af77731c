#include "core/ladder/controls.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <optional>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/ladder/frequencies.h"
#include "core/ladder/head_scheme.h"

namespace holo::ladder {

namespace {

using std::numbers::pi;

// The control that stands in for a Möbius ladder of context N.
using Stand = std::function<Scheme(std::int64_t context)>;

std::int64_t contextOf(const Scheme& mobius, const ModelShape& shape)
{
    const auto it = mobius.parameters.find("context");
    return it == mobius.parameters.end() ? shape.context : std::int64_t(std::get<double>(it->second));
}

Scheme replaced(const Scheme& reference, const ModelShape& shape, const Stand& stand)
{
    if (reference.kind == Kind::Mobius)
        return stand(contextOf(reference, shape));
    Scheme result{Kind::Hybrid, {}, hybridParts(reference)};
    for (Part& part : result.parts)
        if (part.scheme.kind == Kind::Mobius)
            part.scheme = stand(contextOf(part.scheme, shape));
    return result;
}

// The planes of the Möbius ladder in another order, the same for every model of the same size.
Scheme shuffled(std::int64_t context, int planes)
{
    std::vector<double> thetas = turnThetas({context, mobiusNumerators(planes)});
    RandomStream stream(0, "shuffled-ladder", {std::uint64_t(context), std::uint64_t(planes)});
    for (std::size_t i = thetas.size(); i > 1; --i)
        std::swap(thetas[i - 1], thetas[std::size_t(stream.below(i))]);
    return {Kind::Custom, {{"context", double(context)}, {"theta", thetas}}, {}};
}

struct Recipe {
    std::string name;
    std::string purpose;
    Stand stand;
};

std::vector<Recipe> recipes(int planes)
{
    const auto simple = [](Kind kind, std::map<std::string, Value> more) {
        return [kind, more](std::int64_t context) {
            auto parameters = more;
            parameters["context"] = double(context);
            return Scheme{kind, parameters, {}};
        };
    };
    std::vector<Recipe> list = {
        {"periodic A", "Coherent planes of the opposite boundary phase, half a step faster.", simple(Kind::Periodic, {{"variant", "A"}})},
        {"periodic B", "Coherent planes of the opposite boundary phase, half a step slower, one of them still.", simple(Kind::Periodic, {{"variant", "B"}})},
        {"band C2", "The same band, density and lobe without a common boundary phase.", simple(Kind::Band, {{"variant", "C2"}})},
        {"band C1", "The same band with geometric spacing.", simple(Kind::Band, {{"variant", "C1"}})},
        {"shuffled", "The same frequencies on other planes.", [planes](std::int64_t context) { return shuffled(context, planes); }},
        {"snapped half", "The band of standard frequencies with the boundary phase of the Möbius ladder.", simple(Kind::Snapped, {{"mode", "half"}})},
        {"snapped whole", "The band of standard frequencies with the opposite boundary phase.", simple(Kind::Snapped, {{"mode", "whole"}})},
    };
    for (const auto& [name, phi] : {std::pair{"0", 0.0}, {"π/2", pi / 2}, {"π", pi}, {"3π/2", 3 * pi / 2}, {"2π", 2 * pi}})
        list.push_back({"twisted " + std::string(name), "The same spacing and envelope with the boundary phase " + std::string(name) + ".", simple(Kind::Twisted, {{"phi", phi}})});
    return list;
}

bool close(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)); }

// Every Möbius head has a control of its own, every other head the ladder it had. Fills which control stands in for which ladder.
bool sitsOnTheSameHeads(const Plan& reference, const Plan& control, std::vector<int>& standIn)
{
    standIn.assign(reference.ladders.size(), -1);
    for (std::size_t layer = 0; layer < reference.heads.size(); ++layer)
        for (std::size_t head = 0; head < reference.heads[layer].size(); ++head) {
            const int before = reference.heads[layer][head].ladder;
            const int after = control.heads[layer][head].ladder;
            int& stand = standIn[std::size_t(before)];
            if (reference.ladders[std::size_t(before)].kind == Kind::Mobius) {
                if (stand != -1 && stand != after)
                    return false;
                stand = after;
            } else if (reference.ladders[std::size_t(before)].hash != control.ladders[std::size_t(after)].hash) {
                return false;
            }
        }
    return true;
}

ControlProof proofOf(const Ladder& reference, const Ladder& control, bool sameHeads)
{
    ControlProof proof;
    proof.reference = factsOf(reference);
    proof.control = factsOf(control);
    const LadderFacts& r = proof.reference;
    const LadderFacts& c = proof.control;
    proof.sameHeads = sameHeads;
    proof.samePlanes = r.planes == c.planes;
    auto a = reference.theta;
    auto b = control.theta;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    proof.sameFrequencies = a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return close(x, y, 1e-12); });
    proof.sameBand = close(r.low, c.low, 1e-12) && close(r.high, c.high, 1e-12);
    proof.insideBand = c.low >= r.low * (1 - 1e-12) && c.high <= r.high * (1 + 1e-12);
    proof.sameMean = close(r.mean, c.mean, .01);
    proof.sameHalfWidth = r.kernel.halfWidth && c.kernel.halfWidth && std::abs(*r.kernel.halfWidth - *c.kernel.halfWidth) <= 1;
    proof.sameBoundary = r.boundary == c.boundary && (r.boundary != Boundary::Coherent || std::abs(r.kernel.atContext - c.kernel.atContext) < 1e-9);
    if (control.kind == Kind::Band && c.absMeanHolonomy >= .15)
        proof.warning = "The mean boundary phase of this aperiodic ladder is " + formatFixed(c.absMeanHolonomy, 3) + ", not below 0.15, so with " + std::to_string(c.planes) + " planes it is not a clean control.";
    return proof;
}

}  // namespace

LadderFacts factsOf(const Ladder& ladder)
{
    LadderFacts facts;
    facts.planes = int(ladder.theta.size());
    if (!ladder.theta.empty()) {
        const auto [low, high] = std::minmax_element(ladder.theta.begin(), ladder.theta.end());
        facts.low = *low;
        facts.high = *high;
        facts.mean = std::accumulate(ladder.theta.begin(), ladder.theta.end(), 0.0) / double(facts.planes);
    }
    facts.kernel = kernelSummary(ladder);
    const Holonomy h = holonomy(ladder);
    facts.boundary = h.boundary;
    facts.absMeanHolonomy = h.absMean;
    return facts;
}

std::vector<std::string> ControlProof::equal() const
{
    std::vector<std::string> words;
    const auto add = [&](bool holds, const char* word) {
        if (holds)
            words.emplace_back(word);
    };
    add(sameHeads, "heads");
    add(samePlanes, "plane count");
    add(sameFrequencies, "frequencies");
    add(sameBand, "band ends");
    add(insideBand && !sameBand, "inside the band");
    add(sameMean, "mean frequency");
    add(sameHalfWidth, "kernel half-width");
    add(sameBoundary, "boundary phase");
    return words;
}

std::vector<std::string> ControlProof::different() const
{
    std::vector<std::string> words;
    const auto add = [&](bool holds, const char* word) {
        if (!holds)
            words.emplace_back(word);
    };
    add(sameHeads, "heads");
    add(samePlanes, "plane count");
    add(sameFrequencies, "frequencies");
    add(sameBand || insideBand, "band");
    add(sameMean, "mean frequency");
    add(sameHalfWidth, "kernel half-width");
    add(sameBoundary, "boundary phase");
    return words;
}

std::vector<Control> matchedControls(const Scheme& reference, const ModelShape& shape)
{
    const Plan plan = resolve(reference, shape);
    if (std::none_of(plan.ladders.begin(), plan.ladders.end(), [](const Ladder& l) { return l.kind == Kind::Mobius; }))
        throw Error(ErrorKind::Usage, "The scheme has no Möbius ladder, so there is nothing to make controls for.",
                    {.field = "scheme", .found = std::string(plan.ladders.front().parameters), .allowed = "mobius, or a hybrid with a mobius part"});
    std::vector<Control> controls;
    for (const Recipe& recipe : recipes(shape.rotaryDim / 2)) {
        Control control{recipe.name, recipe.purpose, replaced(reference, shape, recipe.stand), {}};
        Plan other;
        try {
            other = resolve(control.scheme, shape);
        } catch (const Error&) {
            continue;  // faster than π a token where the Möbius ladder just fits
        }
        std::vector<int> standIn;
        const bool sameHeads = sitsOnTheSameHeads(plan, other, standIn);
        for (std::size_t i = 0; i < plan.ladders.size(); ++i)
            if (plan.ladders[i].kind == Kind::Mobius && standIn[i] >= 0)
                control.proofs.push_back(proofOf(plan.ladders[i], other.ladders[std::size_t(standIn[i])], sameHeads));
        controls.push_back(std::move(control));
    }
    return controls;
}

Scheme multiScaleHybrid(double share, const std::vector<std::int64_t>& contexts, const ModelShape& shape)
{
    const int group = shape.heads / shape.kvHeads;
    const int groups = (headsOfShare(share, shape.heads) + group - 1) / group;
    const int scales = int(contexts.size());
    if (scales < 1 || scales > groups)
        throw Error::at(ErrorKind::Usage, {.field = "contexts", .found = std::to_string(scales) + " contexts", .allowed = "1 to " + std::to_string(groups) + ", one for each group of special heads"});
    Scheme scheme{Kind::Hybrid, {}, {}};
    for (int s = 0; s < scales; ++s) {
        Part part{"N=" + std::to_string(contexts[std::size_t(s)]), {Kind::Mobius, {{"context", double(contexts[std::size_t(s)])}}, {}}, -1, {}, {}};
        for (int head = s * groups / scales * group; head < (s + 1) * groups / scales * group; ++head)
            part.heads.push_back(head);
        scheme.parts.push_back(std::move(part));
    }
    if (groups * group < shape.heads)
        scheme.parts.push_back({"rest", {Kind::Standard, {}, {}}, -1, {}, {}});
    return scheme;
}

}  // namespace holo::ladder
