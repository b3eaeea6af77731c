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

// Phases of one ladder for one length, position by position, in float64.
class PhaseSource {
public:
    PhaseSource(const Ladder& ladder, std::int64_t length, Side side)
        : m_ladder(ladder)
        , m_theta(thetaAtLength(ladder, length))
        , m_side(side)
        , m_middle((length + 1) / 2)
        , m_phases(ladder.theta.size())
    {
        if (ladder.kind == Kind::Resonance)
            for (const double t : m_theta)
                m_periods.push_back(std::llround(2 * std::numbers::pi / t));
        if (ladder.fourier && !ladder.fourier->kept.empty())
            m_summed = ladder.fourier->cosCoefficients.front().size();
    }

    std::size_t planes() const { return m_phases.size(); }

    const std::vector<Phase>& at(std::int64_t position)
    {
        if (m_ladder.fourier)
            sumSeries(position);
        else
            turn(position);
        return m_phases;
    }

private:
    void sumSeries(std::int64_t position)
    {
        const FourierSeries& series = *m_ladder.fourier;
        std::fill_n(m_phases.begin(), m_summed, Phase{0, 0});
        std::fill(m_phases.begin() + std::ptrdiff_t(m_summed), m_phases.end(), Phase{series.padCos, series.padSin});
        for (std::size_t d = 0; d < series.kept.size(); ++d) {
            const Phase phase = turned(series.kept[d], position);
            const double* cosRow = series.cosCoefficients[d].data();
            const double* sinRow = series.sinCoefficients[d].data();
            for (std::size_t p = 0; p < m_summed; ++p) {
                m_phases[p].cos += phase.cos * cosRow[p];
                m_phases[p].sin += phase.sin * sinRow[p];
            }
        }
    }

    void turn(std::int64_t position)
    {
        const std::int64_t m = m_ladder.positionPeriod > 0 ? floorMod(position, m_ladder.positionPeriod) : position;
        const std::vector<double>& theta = m < m_ladder.keptPositions ? m_ladder.keptTheta : m_theta;
        for (std::size_t j = 0; j < m_phases.size(); ++j) {
            Phase phase = m_ladder.exact ? turnedExactly(m_ladder.exact->numerators[j], m_ladder.exact->context, m)
                                         : turned(theta[j], m_periods.empty() ? m : floorMod(m, m_periods[j]));
            double scale = m_ladder.tableScale;
            if (!m_ladder.damping.empty())
                scale *= decay(position, m_ladder.damping[j]);
            m_phases[j] = {phase.cos * scale, phase.sin * scale};
        }
    }

    // ζ^{±p/512}, p counted from the middle of the sequence (floor(−L/2) at position 0), so that neither side overflows early.
    double decay(std::int64_t position, double zeta) const
    {
        const double exponent = double(position - m_middle) / m_ladder.dampingScale;
        if (std::abs(exponent * std::log(zeta)) > std::log(double(std::numeric_limits<float>::max())) - 1)
            throw Error(ErrorKind::Usage, "The decay of " + m_ladder.name + " leaves the range of float32 " + std::to_string(std::abs(position - m_middle)) + " tokens from the middle of the sequence; use a shorter sequence.",
                        {.field = "length", .found = std::to_string(2 * m_middle), .allowed = "a length whose decay stays finite"});
        return std::pow(zeta, m_side == Side::Query ? exponent : -exponent);
    }

    const Ladder& m_ladder;
    std::vector<double> m_theta;
    std::vector<std::int64_t> m_periods;  // whole wavelengths, where each plane has its own
    Side m_side;
    std::int64_t m_middle;
    std::size_t m_summed = 0;             // planes with a series
    std::vector<Phase> m_phases;
};

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
    PhaseSource source(ladder, length, side);
    PhaseTable table{std::int64_t(positions.size()), int(source.planes()), {}, {}};
    table.cos.reserve(positions.size() * source.planes());
    table.sin.reserve(positions.size() * source.planes());
    for (const std::int64_t position : positions)
        for (const Phase& phase : source.at(position)) {
            table.cos.push_back(float(phase.cos));
            table.sin.push_back(float(phase.sin));
        }
    return table;
}

std::vector<Phase> phasesAt(const Ladder& ladder, std::int64_t position, std::int64_t length, Side side)
{
    return PhaseSource(ladder, length, side).at(position);
}

std::vector<double> rotated(const Ladder& ladder, std::span<const double> vector, std::int64_t position, std::int64_t length, Pairing pairing, Side side)
{
    const auto phases = phasesAt(ladder, position, length, side);
    if (vector.size() < 2 * phases.size())
        throw Error::at(ErrorKind::Usage, {.field = "vector", .found = std::to_string(vector.size()) + " numbers", .allowed = "at least the " + std::to_string(2 * phases.size()) + " rotated lanes"});
    std::vector<double> result(vector.begin(), vector.end());
    for (std::size_t j = 0; j < phases.size(); ++j) {
        const std::size_t low = pairing == Pairing::HalfSplit ? j : 2 * j;
        const std::size_t high = pairing == Pairing::HalfSplit ? j + phases.size() : 2 * j + 1;
        result[low] = vector[low] * phases[j].cos - vector[high] * phases[j].sin;
        result[high] = vector[high] * phases[j].cos + vector[low] * phases[j].sin;
    }
    return result;
}

}  // namespace holo::ladder
