#include "core/ladder/two_plane_toy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace holo::ladder {

namespace {

using Complex = std::complex<double>;
using Signal = std::vector<Complex>;
using std::numbers::pi;

constexpr std::int64_t kLongest = 1 << 14;

std::function<double(double)> activationOf(const std::string& name)
{
    if (name == "none")
        return [](double x) { return x; };
    if (name == "relu")
        return [](double x) { return std::max(x, 0.0); };
    if (name == "gelu")
        return [](double x) { return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2; };
    if (name == "silu")
        return [](double x) { return x / (1 + std::exp(-x)); };
    if (name == "tanh")
        return [](double x) { return std::tanh(x); };
    throw Error::at(ErrorKind::Usage, {.field = "activation", .found = "\"" + name + "\"", .allowed = "none, relu, gelu, silu, tanh"});
}

void check(const ToySettings& settings)
{
    for (const double omega : settings.omegas)
        if (!(omega > 0 && omega < pi))
            throw Error::at(ErrorKind::Usage, {.field = "frequencies", .found = formatDouble(omega), .allowed = "more than 0 and less than π rad a token"});
    if (std::abs(settings.omegas[0] - settings.omegas[1]) * double(settings.length) < 2 * pi)
        throw Error::at(ErrorKind::Usage, {.field = "frequencies", .found = formatDouble(settings.omegas[0]) + ", " + formatDouble(settings.omegas[1]), .allowed = "two that lie at least 2π/length apart"});
    if (settings.length < 16 || settings.length > kLongest)
        throw Error::at(ErrorKind::Usage, {.field = "length", .found = std::to_string(settings.length), .allowed = "16 to " + std::to_string(kLongest)});
    if (!(settings.mix >= 0 && settings.mix <= 1000))
        throw Error::at(ErrorKind::Usage, {.field = "mix", .found = formatDouble(settings.mix), .allowed = "0 to 1000"});
    if (!(settings.gain >= 0 && settings.gain <= 1000))
        throw Error::at(ErrorKind::Usage, {.field = "gain", .found = formatDouble(settings.gain), .allowed = "0 to 1000"});
}

std::array<Signal, 2> hiddenStates(const ToySettings& settings)
{
    const auto activation = activationOf(settings.activation);
    RandomStream random(settings.seed, "toy-mix");
    double weights[4][4];
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            weights[row][column] = (row == column ? 1.0 : 0.0) + settings.mix * random.normal() / 2;
    std::array<Signal, 2> states;
    for (std::int64_t n = 0; n < settings.length; ++n) {
        const Complex h0 = std::polar(1.0, settings.omegas[0] * double(n));
        const Complex h1 = std::polar(1.0, settings.omegas[1] * double(n));
        const double h[4] = {h0.real(), h0.imag(), h1.real(), h1.imag()};
        double y[4];
        for (int row = 0; row < 4; ++row) {
            double sum = 0;
            for (int column = 0; column < 4; ++column)
                sum += weights[row][column] * h[column];
            y[row] = activation(sum);
        }
        states[0].emplace_back(y[0], y[1]);
        states[1].emplace_back(y[2], y[3]);
    }
    return states;
}

// mean over n of Re z[n+Δ] conj z[n], for Δ = 0 … half the length, the same n for all.
std::vector<double> autocorrelation(const Signal& z)
{
    const std::size_t half = z.size() / 2;
    std::vector<double> result(half + 1, 0.0);
    for (std::size_t delta = 0; delta <= half; ++delta)
        for (std::size_t n = 0; n + half < z.size(); ++n)
            result[delta] += (z[n + delta] * std::conj(z[n])).real() / double(z.size() - half);
    return result;
}

// Amplitudes b of z[n] ≈ Σ_k b_k e^{iω_k n} by least squares (normal equations, Gauss with pivots).
std::vector<Complex> amplitudes(const Signal& z, const std::vector<double>& omegas)
{
    const std::size_t k = omegas.size();
    std::vector<std::vector<Complex>> rows(k, std::vector<Complex>(k + 1));
    for (std::size_t n = 0; n < z.size(); ++n)
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j)
                rows[i][j] += std::polar(1.0, (omegas[j] - omegas[i]) * double(n));
            rows[i][k] += z[n] * std::polar(1.0, -omegas[i] * double(n));
        }
    for (std::size_t column = 0; column < k; ++column) {
        const auto pivot = std::max_element(rows.begin() + std::ptrdiff_t(column), rows.end(), [column](const auto& a, const auto& b) { return std::abs(a[column]) < std::abs(b[column]); });
        std::iter_swap(rows.begin() + std::ptrdiff_t(column), pivot);
        for (std::size_t row = 0; row < k; ++row) {
            if (row == column)
                continue;
            const Complex factor = rows[row][column] / rows[column][column];
            for (std::size_t j = column; j <= k; ++j)
                rows[row][j] -= factor * rows[column][j];
        }
    }
    std::vector<Complex> result;
    for (std::size_t i = 0; i < k; ++i)
        result.push_back(rows[i][k] / rows[i][i]);
    return result;
}

double meanPower(const Signal& z)
{
    double sum = 0;
    for (const Complex& value : z)
        sum += std::norm(value);
    return sum / double(z.size());
}

std::vector<double> linesOf(double own, double other) { return {own, -own, other, -other, 0}; }

ToyPlane planeOf(const Signal& z, double own, double other)
{
    ToyPlane plane;
    plane.power = meanPower(z);
    const auto lines = amplitudes(z, linesOf(own, other));
    const double total = plane.power > 0 ? plane.power : 1;
    plane.own = std::norm(lines[0]) / total;
    plane.other = (std::norm(lines[1]) + std::norm(lines[2]) + std::norm(lines[3])) / total;
    plane.still = std::norm(lines[4]) / total;
    double rest = 0;
    for (std::size_t n = 0; n < z.size(); ++n) {
        const double x = double(n);
        rest += std::norm(z[n] - lines[0] * std::polar(1.0, own * x) - lines[1] * std::polar(1.0, -own * x) - lines[2] * std::polar(1.0, other * x)
                          - lines[3] * std::polar(1.0, -other * x) - lines[4]);
    }
    plane.elsewhere = rest / double(z.size()) / total;
    constexpr int kPoints = 513;
    for (int i = 0; i < kPoints; ++i) {
        const double omega = -pi + 2 * pi * i / (kPoints - 1);
        Complex sum = 0;
        for (std::size_t n = 0; n < z.size(); ++n)
            sum += z[n] * std::polar(1.0, -omega * double(n));
        plane.spectrum.omegas.push_back(omega);
        plane.spectrum.power.push_back(std::norm(sum / double(z.size())));
    }
    return plane;
}

ToyCurve curveOf(const std::string& name, std::vector<double> score, const std::vector<double>& matched)
{
    ToyCurve curve{name, std::move(score), 0, 0};
    const double n = double(matched.size());
    double squares = 0;
    double off = 0;
    double meanA = 0;
    double meanB = 0;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        squares += matched[i] * matched[i];
        off += (curve.score[i] - matched[i]) * (curve.score[i] - matched[i]);
        meanA += curve.score[i] / n;
        meanB += matched[i] / n;
    }
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < matched.size(); ++i) {
        ab += (curve.score[i] - meanA) * (matched[i] - meanB);
        aa += (curve.score[i] - meanA) * (curve.score[i] - meanA);
        bb += (matched[i] - meanB) * (matched[i] - meanB);
    }
    curve.error = squares > 0 ? std::sqrt(off / squares) : 0;
    curve.correlation = aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
    return curve;
}

}  // namespace

TwoPlaneToy twoPlaneToy(const ToySettings& settings)
{
    check(settings);
    const std::array<Signal, 2> states = hiddenStates(settings);
    const std::size_t points = std::size_t(settings.length) / 2 + 1;
    TwoPlaneToy toy;
    toy.matched.assign(points, 0.0);
    std::vector<double> rope(points, 0.0);
    std::vector<double> fope(points, 0.0);
    std::vector<double> series(points, 0.0);
    const double deviation = settings.gain * std::sqrt(2.0 / (2 * (2 + 1)));  // D = P = 2, one head
    RandomStream random(settings.seed, "toy-series");
    for (std::size_t j = 0; j < 2; ++j) {
        const double own = settings.omegas[j];
        const double other = settings.omegas[1 - j];
        toy.planes[j] = planeOf(states[j], own, other);
        const double cosine[2] = {1 + deviation * random.normal(), deviation * random.normal()};  // own frequency, the other one
        const double sine[2] = {1 + deviation * random.normal(), deviation * random.normal()};
        Signal drawn;
        for (std::int64_t n = 0; n < settings.length; ++n) {
            const double a = own * double(n);
            const double b = other * double(n);
            drawn.emplace_back(cosine[0] * std::cos(a) + cosine[1] * std::cos(b), sine[0] * std::sin(a) + sine[1] * std::sin(b));
        }
        const auto lines = amplitudes(states[j], linesOf(own, other));
        const double kept = std::accumulate(lines.begin(), lines.end(), 0.0, [](double sum, Complex b) { return sum + std::norm(b); });
        const auto seriesAt = [&](double delta) {
            double sum = 0;
            for (std::size_t i = 0; i < lines.size(); ++i)
                sum += std::norm(lines[i]) * std::cos(linesOf(own, other)[i] * delta);
            return kept > 0 ? sum / kept : 0;
        };
        const std::vector<double> matched = autocorrelation(states[j]);
        const std::vector<double> drawnScore = autocorrelation(drawn);
        for (std::size_t delta = 0; delta < points; ++delta) {
            toy.matched[delta] += matched[delta];
            rope[delta] += matched[0] * std::cos(own * double(delta));
            fope[delta] += matched[0] * drawnScore[delta] / drawnScore[0];
            series[delta] += matched[0] * seriesAt(double(delta));
        }
    }
    toy.curves = {curveOf("rope", std::move(rope), toy.matched), curveOf("fope", std::move(fope), toy.matched), curveOf("series", std::move(series), toy.matched)};
    return toy;
}

}  // namespace holo::ladder
