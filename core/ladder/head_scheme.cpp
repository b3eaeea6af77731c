#include "core/ladder/head_scheme.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ladder/alibi.h"
#include "core/ladder/ladder_builder.h"

namespace holo::ladder {

namespace {

std::string checkedPattern(const Parameters& parameters)
{
    const std::string pattern = parameters.text("pattern");
    if (pattern.empty() || pattern.find_first_not_of("SL") != std::string::npos)
        parameters.refuse("pattern", "\"" + pattern + "\"", "letters S (window) and L (global), such as SSSL");
    return pattern;
}

Ladder fourierLadder(const Parameters& parameters, const FourierDesign& design, const ModelShape& shape)
{
    Ladder ladder;
    ladder.kind = Kind::Fope;
    ladder.name = kindName(Kind::Fope);
    ladder.context = parameters.context();
    ladder.base = parameters.base();
    ladder.theta = dominantThetas(design, shape.rotaryDim / 2);
    ladder.parameters = "fope:base=" + formatDouble(ladder.base) + ",context=" + std::to_string(ladder.context);
    for (const char* key : {"mode", "parts", "pad", "norm"})
        ladder.parameters += "," + std::string(key) + "=" + parameters.text(key);
    ladder.parameters += ",fourier_dim=" + formatDouble(parameters.number("fourier_dim")) + ",cap=" + std::to_string(design.planes);
    if (design.random)
        ladder.parameters += ",std=" + formatDouble(design.entryStd);
    if (!design.before.empty())
        ladder.parameters += ",original=" + valueText(parameters.list("original"));
    return ladder;
}

}  // namespace

int headsOfShare(double share, int heads) { return std::clamp(int(std::ceil(share * heads - 1e-9)), 0, heads); }

HeadScheme::HeadScheme(const Scheme& scheme, const ModelShape& shape)
    : m_kind(scheme.kind)
    , m_shape(shape)
{
    const Parameters parameters(scheme, shape);
    if (m_kind == Kind::Fope && shape.rotaryDim == 0) {
        m_ladder = nopeLadder(shape);
        m_ladder.kind = Kind::Fope;
        return;
    }
    if (m_kind == Kind::Fope) {
        m_fourier = fourierDesign(parameters, shape);
        m_fourierSeed = parameters.has("seed") ? std::uint64_t(parameters.integer("seed")) : shape.seed;
        m_ladder = fourierLadder(parameters, *m_fourier, shape);
        return;
    }
    m_ladder = buildLadder(scheme, shape);
    switch (m_kind) {
    case Kind::Alibi: m_slopes = parameters.text("series") == "plain" ? alibiPlainSlopes(shape.heads) : alibiSlopes(shape.heads); break;
    case Kind::Window:
        m_window = parameters.integer("size");
        m_pattern = checkedPattern(parameters);
        break;
    case Kind::PeriodicRope:
        m_window = parameters.integer("window");
        m_pattern = checkedPattern(parameters);
        m_logOffset = parameters.optionalNumber("log_offset").value_or(0);
        break;
    case Kind::Landmark:
        m_block = int(parameters.integer("block"));
        m_window = parameters.integer("retrieve") * m_block;
        break;
    case Kind::MobiusAttention: m_framedHeads = headsOfShare(parameters.number("share"), shape.heads); break;
    default: break;
    }
}

bool HeadScheme::isGlobalLayer(int layer) const
{
    if (m_kind == Kind::PeriodicRope && layer == m_shape.layers - 1)
        return true;
    return m_pattern[std::size_t(layer) % m_pattern.size()] == 'L';
}

HeadScheme::Head HeadScheme::at(int layer, int head) const
{
    Head result{m_ladder, {}};
    if (m_fourier) {
        const int group = m_shape.heads / m_shape.kvHeads;
        result.ladder.fourier = fourierSeries(*m_fourier, m_fourierSeed, layer, head / group);
        if (m_fourier->random)
            result.ladder.name += " layer " + std::to_string(layer) + " key head " + std::to_string(head / group);
        result.ladder.hash = ladderHash(result.ladder);
    }
    if (!m_slopes.empty())
        result.assignment.slope = m_slopes[std::size_t(head)];
    if (m_kind == Kind::Window && !isGlobalLayer(layer))
        result.assignment.window = m_window;
    if (m_kind == Kind::PeriodicRope) {
        if (isGlobalLayer(layer))
            result.ladder = nopeLadder(m_shape);
        else
            result.assignment.window = m_window;
    }
    if (m_kind == Kind::Landmark) {
        result.assignment.form = AttentionForm::Landmark;
        result.assignment.window = m_window;  // here: keys of the earlier blocks that a query retrieves
    }
    if (m_kind == Kind::MobiusAttention && (layer == 0 || layer == m_shape.layers - 1) && head < m_framedHeads)
        result.assignment.form = AttentionForm::MobiusQuery;
    return result;
}

void HeadScheme::apply(Plan& plan) const
{
    if (m_block > 0)
        plan.landmarkBlock = m_block;
    if (m_logOffset > 0) {
        plan.logLengthTemperature = true;
        plan.temperatureOffset = m_logOffset;
    }
    if (m_fourier) {
        const FourierDesign& d = *m_fourier;
        plan.notes.push_back("FoPE keeps " + std::to_string(d.kept.size()) + " frequencies and has a series in " + std::to_string(d.planes) + " of " + std::to_string(m_shape.rotaryDim / 2) + " planes.");
        if (d.random)
            plan.notes.push_back("FoPE's coefficients have an entry std of " + formatDouble(d.entryStd) + " (gain " + formatDouble(d.gain) + ").");
        if (!d.before.empty())
            plan.notes.push_back("FoPE's coefficients of " + std::to_string(d.before.back().kept.size()) + "×" + std::to_string(d.before.back().planes) + " (N = " + std::to_string(d.before.back().context) +
                                 ") stay as the top left block of " + std::to_string(d.kept.size()) + "×" + std::to_string(d.planes) + ".");
        if (d.emptyColumns > 0)
            plan.notes.push_back(std::to_string(d.emptyColumns) + " planes of FoPE have no dominant frequency, as the released step identity has it; mode=clean gives each one.");
    }
    if (m_ladder.exact && (m_kind == Kind::Mobius || m_kind == Kind::Periodic || m_kind == Kind::Twisted)) {
        const int planes = int(m_ladder.theta.size());
        if (const int distinct = distinctCharacters(*m_ladder.exact); distinct < planes)
            plan.notes.push_back("Only " + std::to_string(distinct) + " of the " + std::to_string(planes) + " planes of " + m_ladder.name + " are distinct on whole positions, since its context of " +
                                 std::to_string(m_ladder.context) + " is too short for them.");
    }
    if (m_kind == Kind::Nope && m_shape.layers == 1)
        plan.notes.push_back("One layer without positions cannot tell the order of tokens; use two or more.");
}

}  // namespace holo::ladder
