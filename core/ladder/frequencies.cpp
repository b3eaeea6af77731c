#include "core/ladder/frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace holo::ladder {

using std::numbers::pi;

std::vector<double> geometricThetas(double base, int width, int planes)
{
    std::vector<double> thetas(static_cast<std::size_t>(planes));
    for (int j = 0; j < planes; ++j)
        thetas[std::size_t(j)] = std::pow(base, -2.0 * j / width);
    return thetas;
}

std::vector<std::int64_t> mobiusNumerators(int planes)
{
    std::vector<std::int64_t> numerators;
    for (int i = 0; i < planes; ++i)
        numerators.push_back(2 * i + 1);
    return numerators;
}

std::vector<std::int64_t> periodicNumerators(int planes, bool withDc)
{
    std::vector<std::int64_t> numerators;
    for (int i = 0; i < planes; ++i)
        numerators.push_back(2 * (withDc ? i : i + 1));
    return numerators;
}

std::vector<std::int64_t> snappedNumerators(const std::vector<double>& thetas, std::int64_t context, bool half)
{
    std::vector<std::int64_t> numerators;
    for (const double r : turns(thetas, context))
        numerators.push_back(half ? 2 * std::int64_t(std::floor(r)) + 1 : 2 * std::int64_t(std::round(r)));
    return numerators;
}

std::vector<double> twistedThetas(int planes, std::int64_t context, double phi)
{
    std::vector<double> thetas;
    for (int i = 0; i < planes; ++i)
        thetas.push_back((2 * pi * i + phi) / double(context));
    return thetas;
}

std::optional<ExactTurns> twistedTurns(int planes, std::int64_t context, double phi)
{
    for (std::int64_t b = 1; b <= 64 && b * context <= (std::int64_t(1) << 30); ++b) {  // products of two residues stay below 2^62
        const std::int64_t a = std::llround(phi * double(b) / pi);
        if (std::abs(phi - pi * double(a) / double(b)) > 4e-16 * std::max(1.0, phi))
            continue;
        ExactTurns turns{b * context, {}};
        for (int i = 0; i < planes; ++i)
            turns.numerators.push_back(2 * b * i + a);
        return turns;
    }
    return std::nullopt;
}

std::vector<double> bandGeometricThetas(int planes, std::int64_t context)
{
    std::vector<double> thetas;
    for (int i = 0; i < planes; ++i)
        thetas.push_back(pi / double(context) * (planes == 1 ? 1.0 : std::pow(2.0 * planes - 1, double(i) / (planes - 1))));
    return thetas;
}

std::vector<double> bandJitter(int planes)
{
    std::vector<double> jitter;
    for (int i = 0; i < planes; ++i) {
        const double x = double(i + 1) * double(i + 1) * std::numbers::sqrt2;
        jitter.push_back(2 * (x - std::floor(x)) - 1);
    }
    if (planes > 1)
        jitter.back() = -std::abs(jitter.back());
    if (planes > 0)
        jitter.front() = std::abs(jitter.front());
    return jitter;
}

std::vector<double> bandJitteredThetas(int planes, std::int64_t context)
{
    std::vector<double> thetas;
    const auto jitter = bandJitter(planes);
    for (int i = 0; i < planes; ++i)
        thetas.push_back(pi * (2 * i + 1 + jitter[std::size_t(i)]) / double(context));
    return thetas;
}

std::vector<double> turnThetas(const ExactTurns& turns)
{
    std::vector<double> thetas;
    for (const std::int64_t a : turns.numerators)
        thetas.push_back(pi * double(a) / double(turns.context));
    return thetas;
}

std::optional<ExactTurns> rationalTurns(const std::vector<double>& thetas, std::int64_t context)
{
    ExactTurns turns{context, {}};
    bool turning = false;
    for (const double theta : thetas) {
        const double a = std::round(theta * double(context) / pi);
        if (std::abs(a) > 1e9 || std::abs(theta - pi * a / double(context)) > 4e-16 * std::abs(theta))
            return std::nullopt;
        turns.numerators.push_back(std::int64_t(a));
        turning = turning || a != 0;
    }
    return turning ? std::optional(turns) : std::nullopt;
}

std::vector<double> partialThetas(const std::vector<double>& thetas, double share)
{
    std::vector<double> result = thetas;
    // .07·100 is 7.000000000000001 and .29·100 is 28.999999999999996 in binary.
    const auto kept = std::size_t(std::floor(share * double(thetas.size()) + 1e-9));
    std::fill(result.begin() + std::ptrdiff_t(std::min(kept, result.size())), result.end(), 0.0);
    return result;
}

std::vector<double> clippedThetas(const std::vector<double>& thetas, int count, bool hard)
{
    std::vector<double> result = thetas;
    const std::size_t first = thetas.size() - std::size_t(count);
    for (int t = 0; t < count; ++t)
        result[first + std::size_t(t)] *= hard || t == count - 1 ? 0.0 : (1 + std::cos(pi * t / (count - 1))) / 2;
    return result;
}

std::vector<double> resonanceThetas(const std::vector<double>& thetas)
{
    std::vector<double> result;
    for (const double theta : thetas)
        result.push_back(2 * pi / std::round(2 * pi / theta));
    return result;
}

std::vector<double> turns(const std::vector<double>& thetas, std::int64_t context)
{
    std::vector<double> result;
    for (const double theta : thetas)
        result.push_back(double(context) * theta / (2 * pi));
    return result;
}

}  // namespace holo::ladder
