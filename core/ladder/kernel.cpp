#include "core/ladder/kernel.h"

#include <algorithm>
#include <cmath>

#include "core/ladder/closed_forms.h"
#include "core/ladder/phase.h"
#include "core/ladder/phase_table.h"

namespace holo::ladder {

namespace {

constexpr std::int64_t kMostKeys = 32;  // key positions averaged over where a kernel depends on them

double plainCosine(const Ladder& ladder, const std::vector<double>& thetas, std::int64_t delta)
{
    double sum = 0;
    for (std::size_t j = 0; j < thetas.size(); ++j) {
        double c = ladder.exact ? turnedExactly(ladder.exact->numerators[j], ladder.exact->context, delta).cos : turned(thetas[j], delta).cos;
        if (!ladder.damping.empty())
            c *= std::pow(ladder.damping[j], double(delta) / ladder.dampingScale);
        sum += c;
    }
    return sum / double(thetas.size());
}

// Mean over at most kMostKeys evenly spaced key positions of the window; beyond the window over key 0 alone.
std::vector<double> seriesCurve(const Ladder& ladder, std::span<const std::int64_t> deltas)
{
    std::int64_t farthest = ladder.context - 1;
    for (const std::int64_t delta : deltas)
        farthest = std::max(farthest, std::abs(delta));
    const PhaseTable table = phaseTable(ladder, farthest + 1);
    const std::int64_t planes = table.planes;
    std::vector<double> curve;
    for (const std::int64_t delta : deltas) {
        const std::int64_t distance = std::abs(delta);
        const std::int64_t count = std::max<std::int64_t>(ladder.context - distance, 1);
        const std::int64_t used = std::min(count, kMostKeys);
        double sum = 0;
        for (std::int64_t i = 0; i < used; ++i) {
            const std::int64_t key = (used == 1 ? 0 : i * (count - 1) / (used - 1)) * planes;
            const std::int64_t query = key + distance * planes;
            for (std::int64_t j = 0; j < planes; ++j)
                sum += double(table.cos[std::size_t(key + j)]) * table.cos[std::size_t(query + j)] + double(table.sin[std::size_t(key + j)]) * table.sin[std::size_t(query + j)];
        }
        curve.push_back(sum / double(used * planes));
    }
    return curve;
}

double closedOrSummed(const Ladder& ladder, const std::vector<double>& thetas, std::int64_t delta)
{
    const int planes = int(thetas.size());
    if (ladder.kind == Kind::Mobius)
        return mobiusMeanCosine(delta, ladder.context, planes);
    if (ladder.kind == Kind::Periodic)
        return periodicMeanCosine(delta, ladder.context, planes, ladder.exact->numerators.front() == 0);
    if (ladder.positionPeriod > 0) {
        // A pair that straddles a wrap sees Δ mod W less a whole window.
        const std::int64_t r = floorMod(delta, ladder.positionPeriod);
        const double straddling = double(r) / double(ladder.positionPeriod);
        return (1 - straddling) * plainCosine(ladder, thetas, r) + straddling * plainCosine(ladder, thetas, r - ladder.positionPeriod);
    }
    return plainCosine(ladder, thetas, delta);
}

// Bisects c on (low, high], c(low) > 0 >= c(high).
double root(const std::vector<double>& thetas, double low, double high)
{
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (meanCosineAt(thetas, middle) > 0 ? low : high) = middle;
    }
    return high;
}

}  // namespace

double meanCosine(const Ladder& ladder, std::int64_t delta, std::int64_t length)
{
    const std::int64_t deltas[] = {delta};
    return meanCosine(ladder, deltas, length).front();
}

std::vector<double> meanCosine(const Ladder& ladder, std::span<const std::int64_t> deltas, std::int64_t length)
{
    const auto thetas = thetaAtLength(ladder, length == 0 ? ladder.context : length);
    if (thetas.empty())
        return std::vector<double>(deltas.size(), 1.0);
    if (ladder.fourier)
        return seriesCurve(ladder, deltas);
    std::vector<double> curve;
    curve.reserve(deltas.size());
    for (const std::int64_t delta : deltas)
        curve.push_back(closedOrSummed(ladder, thetas, delta));
    return curve;
}

std::vector<double> meanCosine(const Plan& plan, std::span<const std::int64_t> deltas, int layer, std::int64_t length)
{
    std::vector<double> weight(plan.ladders.size(), 0.0);
    double heads = 0;
    for (std::size_t l = 0; l < plan.heads.size(); ++l)
        if (layer < 0 || std::size_t(layer) == l)
            for (const HeadAssignment& head : plan.heads[l]) {
                weight[std::size_t(head.ladder)] += 1;
                heads += 1;
            }
    std::vector<double> mean(deltas.size(), 0.0);
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (weight[i] == 0)
            continue;
        const auto curve = meanCosine(plan.ladders[i], deltas, length);
        for (std::size_t d = 0; d < curve.size(); ++d)
            mean[d] += curve[d] * weight[i] / heads;
    }
    return mean;
}

double meanCosineAt(const std::vector<double>& thetas, double x)
{
    double sum = 0;
    for (const double theta : thetas)
        sum += std::cos(theta * x);
    return thetas.empty() ? 1 : sum / double(thetas.size());
}

KernelSummary kernelSummary(const Ladder& ladder, std::int64_t length)
{
    KernelSummary summary;
    const std::int64_t context = ladder.context;
    const auto thetas = thetaAtLength(ladder, length == 0 ? context : length);
    const auto curve = meanCosine(ladder, distances(0, context), length);
    const bool differences = !ladder.fourier && ladder.positionPeriod == 0;  // c is one smooth function of Δ
    const bool turns = std::any_of(thetas.begin(), thetas.end(), [](double theta) { return theta != 0; });
    const std::int64_t farthest = !turns ? 0 : differences ? 8 * context : context;
    for (std::int64_t delta = 1; delta <= farthest && (!summary.firstNonPositive || !summary.halfWidth); ++delta) {
        const double c = delta <= context ? curve[std::size_t(delta)] : meanCosine(ladder, delta, length);
        if (c < .5 && !summary.halfWidth)
            summary.halfWidth = delta;
        if (c <= 1e-12 && !summary.firstNonPositive) {
            summary.firstNonPositive = delta;
            summary.firstZero = c >= -1e-12 || !differences || !ladder.damping.empty() ? double(delta) : root(thetas, double(delta - 1), double(delta));
        }
    }
    double squares = 0;
    const std::int64_t first = (context + 3) / 4;
    const std::int64_t last = 3 * context / 4;
    for (std::int64_t delta = first; delta <= last; ++delta) {
        const double c = curve[std::size_t(delta)];
        squares += c * c;
        summary.bulkMax = std::max(summary.bulkMax, std::abs(c));
    }
    summary.bulkRms = std::sqrt(squares / double(last - first + 1));
    summary.atContext = curve[std::size_t(context)];
    return summary;
}

std::vector<std::int64_t> distances(std::int64_t first, std::int64_t last, std::int64_t step)
{
    std::vector<std::int64_t> result;
    for (std::int64_t delta = first; delta <= last; delta += step)
        result.push_back(delta);
    return result;
}

}  // namespace holo::ladder
