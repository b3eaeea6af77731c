#include "core/ladder/length_scaling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/ladder/frequencies.h"

namespace holo::ladder {

using std::numbers::pi;

double ntkBase(double base, int width, double factor) { return base * std::pow(factor, double(width) / (width - 2)); }

double dynamicNtkBase(double base, int width, double factor, std::int64_t original, std::int64_t length)
{
    if (length <= original)
        return base;
    return ntkBase(base, width, factor * double(length) / double(original) - (factor - 1));
}

std::vector<double> dynamicNtkThetas(double base, int width, int planes, double factor, std::int64_t original, std::int64_t length)
{
    return geometricThetas(dynamicNtkBase(base, width, factor, original, length), width, planes);
}

double planeOfRotations(double rotations, int width, double base, std::int64_t original)
{
    return width * std::log(double(original) / (2 * pi * rotations)) / (2 * std::log(base));
}

YarnRamp yarnIndexRamp(double betaFast, double betaSlow, int width, double base, std::int64_t original, bool truncate)
{
    double low = planeOfRotations(betaFast, width, base, original);
    double high = planeOfRotations(betaSlow, width, base, original);
    if (truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, width - 1.0);  // the released code compares with d − 1, not with the number of planes
    if (low == high)
        high += .001;
    return {low, high};
}

std::vector<double> yarnIndexThetas(const std::vector<double>& thetas, double factor, YarnRamp ramp)
{
    std::vector<double> result;
    for (std::size_t j = 0; j < thetas.size(); ++j) {
        const double rho = std::clamp((double(j) - ramp.low) / (ramp.high - ramp.low), 0.0, 1.0);
        result.push_back(thetas[j] * (1 - rho) + thetas[j] / factor * rho);
    }
    return result;
}

std::vector<double> yarnTurnThetas(const std::vector<double>& thetas, double factor, double betaFast, double betaSlow, std::int64_t original)
{
    std::vector<double> result;
    const auto r = turns(thetas, original);
    for (std::size_t j = 0; j < thetas.size(); ++j) {
        const double gamma = std::clamp((r[j] - betaSlow) / (betaFast - betaSlow), 0.0, 1.0);
        result.push_back((1 - gamma) * thetas[j] / factor + gamma * thetas[j]);
    }
    return result;
}

double yarnAttentionFactor(double factor, double mscale) { return factor <= 1 ? 1.0 : .1 * mscale * std::log(factor) + 1; }

double longRopeAttentionFactor(double factor, std::int64_t original)
{
    return factor <= 1 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(double(original)));
}

std::vector<double> llama3Thetas(const std::vector<double>& thetas, double factor, double low, double high, std::int64_t original)
{
    std::vector<double> result;
    for (const double theta : thetas) {
        const double r = double(original) * theta / (2 * pi);
        if (r > high)
            result.push_back(theta);
        else if (r < low)
            result.push_back(theta / factor);
        else {
            const double w = (r - low) / (high - low);
            result.push_back((1 - w) * theta / factor + w * theta);
        }
    }
    return result;
}

std::optional<std::vector<double>> mrRopeThetas(const std::vector<double>& thetas, double factor, bool progressive, std::int64_t original)
{
    const auto r = turns(thetas, original);
    const auto lastFast = std::find_if(r.rbegin(), r.rend(), [](double x) { return x > 32; });
    const auto firstSlow = std::find_if(r.begin(), r.end(), [](double x) { return x < 1; });
    if (lastFast == r.rend() || firstSlow == r.end())
        return std::nullopt;
    const double low = double(r.rend() - lastFast - 1);
    const double n = double(firstSlow - r.begin()) - low;
    std::vector<double> result;
    for (std::size_t j = 0; j < thetas.size(); ++j) {
        const double t = std::clamp(double(j) - low, 0.0, n);
        result.push_back(thetas[j] * std::pow(factor, progressive ? -t * (t + 1) / (n * (n + 1)) : -t / n));
    }
    return result;
}

}  // namespace holo::ladder
