#include "core/ladder/kernel.h"

#include <algorithm>
#include <cmath>

#include "core/ladder/closed_forms.h"
#include "core/ladder/phase.h"
#include "core/ladder/phase_table.h"

namespace holo::ladder {

namespace {

constexpr std::int64_t kMostKeys = 32;  // key positions averaged over where a kernel depends on them
constexpr std::int64_t kDense = 32768;   // contexts up to here are looked at token by token
constexpr std::int64_t kFarthest = 1 << 18;     // of the search for the first zero
constexpr std::int64_t kFarthestPairs = 1 << 13;  // the same where every distance is a mean over pairs

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

// Σ_j (C_query C_key + S_query S_key) of two rows of a table.
double rowProduct(const PhaseTable& table, std::int64_t query, std::int64_t key)
{
    double sum = 0;
    for (std::int64_t j = 0; j < table.planes; ++j) {
        const auto q = std::size_t(query * table.planes + j);
        const auto k = std::size_t(key * table.planes + j);
        sum += double(table.cos[k]) * table.cos[q] + double(table.sin[k]) * table.sin[q];
    }
    return sum;
}

// Mean over at most kMostKeys evenly spaced key positions of the window; beyond the window over key 0 alone.
std::vector<double> seriesCurve(const Ladder& ladder, std::span<const std::int64_t> deltas)
{
    std::int64_t farthest = ladder.context - 1;
    for (const std::int64_t delta : deltas)
        farthest = std::max(farthest, std::abs(delta));
    const bool whole = farthest <= kDense && deltas.size() > 1;
    const PhaseTable all = whole ? phaseTable(ladder, farthest + 1) : PhaseTable();
    std::vector<double> curve;
    for (const std::int64_t delta : deltas) {
        const std::int64_t distance = std::abs(delta);
        const std::int64_t count = std::max<std::int64_t>(ladder.context - distance, 1);
        const std::int64_t used = std::min(count, kMostKeys);
        std::vector<std::int64_t> positions;
        for (std::int64_t i = 0; i < used; ++i)
            positions.push_back(used == 1 ? 0 : i * (count - 1) / (used - 1));
        double sum = 0;
        if (whole) {
            for (const std::int64_t key : positions)
                sum += rowProduct(all, key + distance, key);
        } else {
            for (std::int64_t i = 0; i < used; ++i)
                positions.push_back(positions[std::size_t(i)] + distance);
            const PhaseTable rows = phaseTableAt(ladder, positions, ladder.context);
            for (std::int64_t i = 0; i < used; ++i)
                sum += rowProduct(rows, used + i, i);
        }
        curve.push_back(sum / double(used * std::int64_t(ladder.theta.size())));
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
    const bool ofDistance = !ladder.fourier && ladder.positionPeriod == 0;  // c is one smooth function of Δ
    const bool turns = std::any_of(thetas.begin(), thetas.end(), [](double theta) { return theta != 0; });
    const std::int64_t farthest = !turns ? 0 : ofDistance ? std::min(8 * context, kFarthest) : std::min(context, kFarthestPairs);
    const std::int64_t step = std::min<std::int64_t>(context, 4096);
    for (std::int64_t first = 1; first <= farthest && (!summary.firstNonPositive || !summary.halfWidth); first += step) {
        const auto deltas = distances(first, std::min(first + step - 1, farthest));
        const auto curve = meanCosine(ladder, deltas, length);
        for (std::size_t i = 0; i < curve.size(); ++i) {
            const double c = curve[i];
            if (c < .5 && !summary.halfWidth)
                summary.halfWidth = deltas[i];
            if (c <= 1e-12 && !summary.firstNonPositive) {
                summary.firstNonPositive = deltas[i];
                const bool smooth = ofDistance && ladder.damping.empty() && c < -1e-12;
                summary.firstZero = smooth ? root(thetas, double(deltas[i] - 1), double(deltas[i])) : double(deltas[i]);
            }
        }
    }
    const std::int64_t first = (context + 3) / 4;
    const std::int64_t last = 3 * context / 4;
    const auto bulk = meanCosine(ladder, distances(first, std::max(first, last), std::max<std::int64_t>(1, context / kDense)), length);
    double squares = 0;
    for (const double c : bulk) {
        squares += c * c;
        summary.bulkMax = std::max(summary.bulkMax, std::abs(c));
    }
    summary.bulkRms = std::sqrt(squares / double(bulk.size()));
    summary.atContext = meanCosine(ladder, context, length);
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
