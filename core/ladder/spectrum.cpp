#include "core/ladder/spectrum.h"

#include <algorithm>
#include <cmath>

namespace holo::ladder {

std::complex<double> amplitude(std::span<const double> values, std::span<const double> positions, double omega)
{
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
        sum += values[k] * std::polar(1.0, -omega * positions[k]);
    return values.empty() ? sum : sum / double(values.size());
}

Spectrum denseSpectrum(std::span<const double> values, std::span<const double> positions, double low, double high, int count)
{
    Spectrum spectrum;
    for (int i = 0; i < count; ++i) {
        const double omega = count == 1 ? low : low + (high - low) * i / (count - 1);
        spectrum.omegas.push_back(omega);
        spectrum.power.push_back(std::norm(amplitude(values, positions, omega)));
    }
    return spectrum;
}

double leakage(const Spectrum& spectrum, std::span<const double> thetas, double halfWidth)
{
    double all = 0;
    double off = 0;
    for (std::size_t i = 0; i < spectrum.omegas.size(); ++i) {
        all += spectrum.power[i];
        const bool own = std::any_of(thetas.begin(), thetas.end(), [&](double theta) { return std::abs(spectrum.omegas[i] - theta) <= halfWidth; });
        off += own ? 0 : spectrum.power[i];
    }
    return all > 0 ? off / all : 0;
}

double truncationResponse(double theta, double omega, std::int64_t length)
{
    const double half = (theta - omega) / 2;
    return std::abs(std::sin(half)) < 1e-15 ? 1.0 : std::abs(std::sin(double(length) * half) / (double(length) * std::sin(half)));
}

}  // namespace holo::ladder
