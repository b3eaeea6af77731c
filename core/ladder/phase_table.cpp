#include "core/ladder/phase_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/error.h"
#include "core/ladder/length_scaling.h"
#include "core/ladder/phase.h"

namespace holo::ladder {

namespace {

void checkDecay(const Ladder& ladder, std::int64_t farthest)
{
    for (const double zeta : ladder.damping)
        if (std::abs(double(farthest) / ladder.dampingScale * std::log(zeta)) > std::log(double(std::numeric_limits<float>::max())) - 1)
            throw Error(ErrorKind::Usage, "The decay of " + ladder.name + " leaves the range of float32 " + std::to_string(farthest) + " tokens from the middle of the sequence; use a shorter sequence.",
                        {.field = "length", .found = std::to_string(2 * farthest), .allowed = "a length whose decay stays finite"});
}

PhaseTable seriesTable(const Ladder& ladder, std::span<const std::int64_t> positions)
{
    const FourierSeries& series = *ladder.fourier;
    const std::size_t kept = series.kept.size();
    const std::size_t series_planes = kept == 0 ? 0 : series.cosCoefficients.front().size();
    const std::size_t planes = ladder.theta.size();
    PhaseTable table{std::int64_t(positions.size()), int(planes), {}, {}};
    table.cos.reserve(positions.size() * planes);
    table.sin.reserve(positions.size() * planes);
    std::vector<Phase> phases(kept);
    for (const std::int64_t position : positions) {
        for (std::size_t d = 0; d < kept; ++d)
            phases[d] = turned(series.kept[d], position);
        for (std::size_t p = 0; p < planes; ++p) {
            double c = series.padCos;
            double s = series.padSin;
            if (p < series_planes) {
                c = s = 0;
                for (std::size_t d = 0; d < kept; ++d) {
                    c += phases[d].cos * series.cosCoefficients[d][p];
                    s += phases[d].sin * series.sinCoefficients[d][p];
                }
            }
            table.cos.push_back(float(c));
            table.sin.push_back(float(s));
        }
    }
    return table;
}

}  // namespace

std::vector<double> thetaAtLength(const Ladder& ladder, std::int64_t length)
{
    if (length <= ladder.context)
        return ladder.theta;
    switch (ladder.lengthRule) {
    case LengthRule::Fixed: return ladder.theta;
    case LengthRule::DynamicNtk: return dynamicNtkThetas(ladder.base, 2 * int(ladder.theta.size()), int(ladder.theta.size()), ladder.factor, ladder.context, length);
    case LengthRule::LongRope: return ladder.longTheta;
    }
    return ladder.theta;
}

PhaseTable phaseTable(const Ladder& ladder, std::int64_t length, Side side)
{
    std::vector<std::int64_t> positions(static_cast<std::size_t>(length));
    std::iota(positions.begin(), positions.end(), std::int64_t(0));
    return phaseTableAt(ladder, positions, length, side);
}

PhaseTable phaseTableAt(const Ladder& ladder, std::span<const std::int64_t> positions, std::int64_t length, Side side)
{
    if (ladder.fourier)
        return seriesTable(ladder, positions);
    const std::vector<double> theta = thetaAtLength(ladder, length);
    const std::size_t planes = theta.size();
    PhaseTable table{std::int64_t(positions.size()), int(planes), {}, {}};
    table.cos.reserve(positions.size() * planes);
    table.sin.reserve(positions.size() * planes);

    // Decay is counted from the middle of the sequence, floor(−L/2) at position 0, so that neither side overflows early.
    const std::int64_t middle = (length + 1) / 2;
    if (!ladder.damping.empty()) {
        std::int64_t farthest = 0;
        for (const std::int64_t position : positions)
            farthest = std::max(farthest, std::abs(position - middle));
        checkDecay(ladder, farthest);
    }
    std::vector<std::int64_t> periods;
    if (ladder.kind == Kind::Resonance)
        for (const double t : theta)
            periods.push_back(std::llround(2 * std::numbers::pi / t));

    for (const std::int64_t position : positions) {
        const std::int64_t m = ladder.positionPeriod > 0 ? floorMod(position, ladder.positionPeriod) : position;
        const bool kept = m < ladder.keptPositions;
        for (std::size_t j = 0; j < planes; ++j) {
            Phase phase;
            if (ladder.exact)
                phase = turnedExactly(ladder.exact->numerators[j], ladder.exact->context, m);
            else if (kept)
                phase = turned(ladder.keptTheta[j], m);
            else
                phase = turned(theta[j], periods.empty() ? m : floorMod(m, periods[j]));
            double scale = ladder.tableScale;
            if (!ladder.damping.empty()) {
                const double exponent = double(position - middle) / ladder.dampingScale;
                scale *= std::pow(ladder.damping[j], side == Side::Query ? exponent : -exponent);
            }
            table.cos.push_back(float(phase.cos * scale));
            table.sin.push_back(float(phase.sin * scale));
        }
    }
    return table;
}

}  // namespace holo::ladder
