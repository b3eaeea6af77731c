#include "core/ladder/holonomy.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/ladder/frequencies.h"
#include "core/ladder/phase.h"

namespace holo::ladder {

Holonomy holonomy(const Ladder& ladder, std::int64_t context)
{
    const std::int64_t n = context > 0 ? context : ladder.context;
    Holonomy result;
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < ladder.theta.size(); ++j) {
        const Phase phase = ladder.exact ? turnedExactly(ladder.exact->numerators[j], ladder.exact->context, n) : turned(ladder.theta[j], n);
        result.planes.emplace_back(phase.cos, phase.sin);
        sum += result.planes.back();
    }
    if (result.planes.empty()) {
        result.absMean = 1;
        result.boundary = Boundary::Periodic;
        return result;
    }
    result.absMean = std::abs(sum) / double(result.planes.size());
    const auto all = [&](std::complex<double> value) {
        return std::all_of(result.planes.begin(), result.planes.end(), [&](std::complex<double> h) { return std::abs(h - value) < 1e-9; });
    };
    if (all(-1.0))
        result.boundary = Boundary::AntiPeriodic;
    else if (all(1.0))
        result.boundary = Boundary::Periodic;
    else if (all(result.planes.front()))
        result.boundary = Boundary::Coherent;
    return result;
}

std::string_view boundaryName(Boundary boundary)
{
    switch (boundary) {
    case Boundary::AntiPeriodic: return "anti-periodic";
    case Boundary::Periodic: return "periodic";
    case Boundary::Coherent: return "coherent";
    case Boundary::Mixed: return "mixed";
    }
    return "mixed";
}

std::vector<double> periods(const std::vector<double>& thetas)
{
    std::vector<double> result;
    for (const double theta : thetas)
        result.push_back(theta == 0 ? std::numeric_limits<double>::infinity() : 2 * std::numbers::pi / std::abs(theta));
    return result;
}

std::vector<int> undertrainedPlanes(const std::vector<double>& thetas, std::int64_t context)
{
    std::vector<int> result;
    const auto r = turns(thetas, context);
    for (std::size_t j = 0; j < r.size(); ++j)
        if (r[j] != 0 && std::abs(r[j]) < 1)
            result.push_back(int(j));
    return result;
}

TurnHistogram turnHistogram(const std::vector<double>& thetas, std::int64_t context)
{
    TurnHistogram histogram;
    std::vector<int> octaves;
    for (const double r : turns(thetas, context)) {
        if (r == 0)
            ++histogram.still;
        else
            octaves.push_back(std::ilogb(r));
    }
    if (octaves.empty())
        return histogram;
    const auto [low, high] = std::minmax_element(octaves.begin(), octaves.end());
    histogram.firstOctave = *low;
    histogram.counts.assign(std::size_t(*high - *low + 1), 0);
    for (const int octave : octaves)
        ++histogram.counts[std::size_t(octave - *low)];
    return histogram;
}

}  // namespace holo::ladder
