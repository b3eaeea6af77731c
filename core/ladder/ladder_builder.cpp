#include "core/ladder/ladder_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/ladder/frequencies.h"
#include "core/ladder/length_scaling.h"

namespace holo::ladder {

namespace {

using Resolved = std::vector<std::pair<std::string, std::string>>;

std::string countText(std::size_t count, const std::string& one, const std::string& many) { return std::to_string(count) + " " + (count == 1 ? one : many); }

class Builder {
public:
    Builder(const Scheme& scheme, const ModelShape& shape)
        : m_p(scheme, shape)
        , m_shape(shape)
        , m_planes(shape.rotaryDim / 2)
    {
        m_ladder.kind = scheme.kind;
        m_ladder.name = kindName(scheme.kind);
        m_ladder.context = m_p.context();
    }

    Ladder build();

private:
    std::vector<double> standard()
    {
        m_ladder.base = m_p.base();
        note("base", formatDouble(m_ladder.base));
        return geometricThetas(m_ladder.base, std::max(m_shape.rotaryDim, 2), m_planes);
    }

    void note(const std::string& key, const std::string& value) { m_resolved.emplace_back(key, value); }
    void noteContext() { note("context", std::to_string(m_ladder.context)); }

    void setExact(ExactTurns turns)
    {
        m_ladder.theta = turnThetas(turns);
        m_ladder.exact = std::move(turns);
    }

    // Beyond π a token, planes coincide with slower ones on whole positions.
    void checkAliases()
    {
        if (m_planes == 0)
            return;
        const std::string aliases = m_p.text("aliases");
        if (aliases == "allow")
            note("aliases", aliases);
        const double fastest = *std::max_element(m_ladder.theta.begin(), m_ladder.theta.end());
        if (aliases == "allow" || fastest <= std::numbers::pi * (1 + 1e-12))
            return;
        const std::string distinct = m_ladder.exact ? std::to_string(distinctCharacters(*m_ladder.exact)) + " of its " + std::to_string(m_planes) + " planes are distinct" : "some of its planes coincide";
        throw Error(ErrorKind::Usage,
                    m_p.field("context") + " is " + std::to_string(m_ladder.context) + ", too short for " + std::to_string(m_planes) + " planes: the fastest turns by more than π a token, so only " + distinct +
                        " on whole positions; allowed: a context of at least " + std::to_string(std::int64_t(std::ceil(fastest * double(m_ladder.context) / std::numbers::pi - 1e-6))) + ", or aliases=allow.",
                    {.field = m_p.field("context"), .found = std::to_string(m_ladder.context), .allowed = "a context with every θ <= π, or aliases=allow"});
    }

    void scaled(double attentionFactor)
    {
        m_ladder.tableScale = m_p.optionalNumber("attention_factor").value_or(attentionFactor);
        note("attention_factor", formatDouble(m_ladder.tableScale));
    }

    void extended()
    {
        m_ladder.context = m_p.original();
        m_ladder.factor = m_p.factor();
        note("factor", formatDouble(m_ladder.factor));
        note("original", std::to_string(m_ladder.context));
    }

    void needWidth(int width)
    {
        if (m_planes > 0 && m_shape.rotaryDim < width)
            throw Error(ErrorKind::Usage, std::string(kindName(m_ladder.kind)) + ": rotary_dim is " + std::to_string(m_shape.rotaryDim) + "; allowed: an even width of at least " + std::to_string(width) + ".",
                        {.field = "rotary_dim", .found = std::to_string(m_shape.rotaryDim), .allowed = "an even width of at least " + std::to_string(width)});
    }

    void yarn();
    void longRope();

    Parameters m_p;
    const ModelShape& m_shape;
    int m_planes;
    Ladder m_ladder;
    Resolved m_resolved;
};

void Builder::yarn()
{
    const auto thetas = standard();
    extended();
    const double fast = m_p.number("beta_fast");
    const double slow = m_p.number("beta_slow");
    if (!(fast > slow))
        m_p.refuse("beta_fast", formatDouble(fast), "more than beta_slow (" + formatDouble(slow) + ")");
    const std::string ramp = m_p.text("ramp");
    note("ramp", ramp);
    note("beta_fast", formatDouble(fast));
    note("beta_slow", formatDouble(slow));
    if (ramp == "index") {
        const bool truncate = m_p.text("truncate") == "yes";
        if (!truncate)
            note("truncate", "no");
        const YarnRamp ends = yarnIndexRamp(fast, slow, m_shape.rotaryDim, m_ladder.base, m_ladder.context, truncate);
        if (m_planes > 0 && (ends.high <= 0 || ends.low >= m_shape.rotaryDim - 1))
            m_p.refuse("original", std::to_string(m_ladder.context),
                       "a context in which some planes turn more than beta_slow times and some less than beta_fast times, or ramp=turn");
        m_ladder.theta = yarnIndexThetas(thetas, m_ladder.factor, ends);
    } else {
        m_ladder.theta = yarnTurnThetas(thetas, m_ladder.factor, fast, slow, m_ladder.context);
    }
    const auto mscale = m_p.optionalNumber("mscale");
    const auto mscaleAll = m_p.optionalNumber("mscale_all_dim");
    // The ratio needs both keys, neither of them 0; one alone leaves the default.
    if (mscale && mscaleAll && *mscale != 0 && *mscaleAll != 0)
        scaled(yarnAttentionFactor(m_ladder.factor, *mscale) / yarnAttentionFactor(m_ladder.factor, *mscaleAll));
    else
        scaled(yarnAttentionFactor(m_ladder.factor));
}

void Builder::longRope()
{
    const auto thetas = standard();
    extended();
    const auto shortList = m_p.list("short");
    const auto longList = m_p.list("long");
    for (const auto& [key, list] : {std::pair{"short", &shortList}, {"long", &longList}})
        if (m_planes > 0 && int(list->size()) != m_planes)
            m_p.refuse(key, "a list of " + countText(list->size(), "number", "numbers"), countText(std::size_t(m_planes), "number", "numbers") + ", one a plane");
    for (int j = 0; j < m_planes; ++j) {
        m_ladder.theta.push_back(thetas[std::size_t(j)] / shortList[std::size_t(j)]);
        m_ladder.longTheta.push_back(thetas[std::size_t(j)] / longList[std::size_t(j)]);
    }
    note("short", valueText(shortList));
    note("long", valueText(longList));
    m_ladder.lengthRule = LengthRule::LongRope;
    m_ladder.keptPositions = m_p.integer("kept");
    if (m_ladder.keptPositions > 0) {
        m_ladder.keptTheta = thetas;
        note("kept", std::to_string(m_ladder.keptPositions));
    }
    scaled(longRopeAttentionFactor(m_ladder.factor, m_ladder.context));
}

Ladder Builder::build()
{
    switch (m_ladder.kind) {
    case Kind::Standard:
    case Kind::Window:
    case Kind::PeriodicRope:
    case Kind::Landmark:
    case Kind::MobiusAttention:
        m_ladder.theta = standard();
        if (m_ladder.kind == Kind::PeriodicRope) {
            m_ladder.positionPeriod = m_p.integer("window");
            note("window", std::to_string(m_ladder.positionPeriod));
        } else {
            m_ladder.kind = Kind::Standard;
            m_ladder.name = kindName(Kind::Standard);
        }
        break;
    case Kind::Mobius:
        noteContext();
        setExact({m_ladder.context, mobiusNumerators(m_planes)});
        checkAliases();
        break;
    case Kind::Periodic: {
        noteContext();
        const std::string variant = m_p.text("variant");
        note("variant", variant);
        setExact({m_ladder.context, periodicNumerators(m_planes, variant == "B")});
        checkAliases();
        break;
    }
    case Kind::Band: {
        noteContext();
        const std::string variant = m_p.text("variant");
        note("variant", variant);
        m_ladder.theta = variant == "C1" ? bandGeometricThetas(m_planes, m_ladder.context) : bandJitteredThetas(m_planes, m_ladder.context);
        checkAliases();
        break;
    }
    case Kind::Twisted: {
        noteContext();
        const double phi = m_p.number("phi");
        note("phi", formatDouble(phi));
        m_ladder.theta = twistedThetas(m_planes, m_ladder.context, phi);
        if (auto exact = twistedTurns(m_planes, m_ladder.context, phi))
            setExact(std::move(*exact));
        checkAliases();
        break;
    }
    case Kind::Snapped: {
        const auto thetas = standard();
        noteContext();
        const std::string mode = m_p.text("mode");
        note("mode", mode);
        setExact({m_ladder.context, snappedNumerators(thetas, m_ladder.context, mode == "half")});
        break;
    }
    case Kind::Nope:
    case Kind::Alibi:
        m_ladder = nopeLadder(m_shape);
        return m_ladder;
    case Kind::Linear: {
        m_ladder.theta = standard();
        m_ladder.factor = m_p.number("factor");
        note("factor", formatDouble(m_ladder.factor));
        for (double& theta : m_ladder.theta)
            theta /= m_ladder.factor;
        break;
    }
    case Kind::Ntk:
        needWidth(4);
        standard();
        m_ladder.factor = m_p.number("factor");
        note("factor", formatDouble(m_ladder.factor));
        if (m_planes > 0)
            m_ladder.theta = geometricThetas(ntkBase(m_ladder.base, m_shape.rotaryDim, m_ladder.factor), m_shape.rotaryDim, m_planes);
        break;
    case Kind::DynamicNtk:
        needWidth(4);
        m_ladder.theta = standard();
        extended();
        m_ladder.lengthRule = LengthRule::DynamicNtk;
        break;
    case Kind::Yarn: yarn(); break;
    case Kind::LongRope: longRope(); break;
    case Kind::Llama3: {
        const auto thetas = standard();
        extended();
        const double low = m_p.number("low");
        const double high = m_p.number("high");
        if (!(high > low))
            m_p.refuse("high", formatDouble(high), "more than low (" + formatDouble(low) + ")");
        note("low", formatDouble(low));
        note("high", formatDouble(high));
        m_ladder.theta = llama3Thetas(thetas, m_ladder.factor, low, high, m_ladder.context);
        break;
    }
    case Kind::MrRope: {
        const auto thetas = standard();
        extended();
        const std::string variant = m_p.text("variant");
        note("variant", variant);
        auto theta = mrRopeThetas(thetas, m_ladder.factor, variant == "pro", m_ladder.context);
        if (!theta && m_planes > 0)
            m_p.refuse("original", std::to_string(m_ladder.context), "a context in which some plane turns more than 32 times and some plane less than once");
        m_ladder.theta = theta.value_or(std::vector<double>());
        scaled(yarnAttentionFactor(m_ladder.factor));
        break;
    }
    case Kind::PRope: {
        const double share = m_p.number("share");
        m_ladder.theta = partialThetas(standard(), share);
        note("share", formatDouble(share));
        break;
    }
    case Kind::Clipped: {
        const bool hard = m_p.text("mode") == "hard";
        const std::int64_t count = m_p.has("planes") ? m_p.integer("planes") : std::max<std::int64_t>(std::min(2, m_planes), std::llround(20.0 / 64 * m_planes));
        const int least = hard ? 1 : 2;  // a taper of one plane would be neither kept nor dropped
        if (m_planes > 0 && m_planes < least)
            m_p.refuse("mode", "taper", "hard, since a taper needs two planes and the head has one");
        if (m_planes > 0 && (count < least || count > m_planes))
            m_p.refuse("planes", std::to_string(count), least == m_planes ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(m_planes));
        const auto thetas = standard();
        m_ladder.theta = m_planes > 0 ? clippedThetas(thetas, int(count), hard) : thetas;
        note("planes", std::to_string(count));
        note("mode", hard ? "hard" : "taper");
        break;
    }
    case Kind::Resonance: m_ladder.theta = resonanceThetas(standard()); break;
    case Kind::Xpos: {
        m_ladder.theta = standard();
        const double d = m_shape.rotaryDim;
        for (int j = 0; j < m_planes; ++j)
            m_ladder.damping.push_back((2 * j + .4 * d) / (1.4 * d));
        m_ladder.dampingScale = m_p.number("scale_base");
        note("scale_base", formatDouble(m_ladder.dampingScale));
        break;
    }
    case Kind::Custom: {
        const auto theta = m_p.list("theta");
        if (int(theta.size()) != m_planes)
            m_p.refuse("theta", "a list of " + countText(theta.size(), "frequency", "frequencies"), countText(std::size_t(m_planes), "frequency", "frequencies") + ", one a plane");
        m_ladder.theta = theta;
        m_ladder.exact = rationalTurns(theta, m_ladder.context);
        noteContext();
        note("theta", valueText(theta));
        break;
    }
    case Kind::Fope:
    case Kind::Hybrid:
        throw Error(ErrorKind::Internal, "A scheme with a ladder for each head was asked for one ladder.");
    }
    if (m_ladder.kind == Kind::Standard)
        m_resolved.resize(std::min<std::size_t>(m_resolved.size(), 1));
    std::string form(kindName(m_ladder.kind));
    for (std::size_t i = 0; i < m_resolved.size(); ++i)
        form += (i == 0 ? ":" : ",") + m_resolved[i].first + "=" + m_resolved[i].second;
    m_ladder.parameters = form;
    m_ladder.hash = ladderHash(m_ladder);
    return m_ladder;
}

void appendNumbers(std::string& bytes, const std::vector<double>& values)
{
    for (const double value : values) {
        const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);  // −0 is 0
        for (int shift = 0; shift < 64; shift += 8)
            bytes += char((bits >> shift) & 0xff);
    }
}

}  // namespace

Ladder buildLadder(const Scheme& scheme, const ModelShape& shape) { return Builder(scheme, shape).build(); }

Ladder nopeLadder(const ModelShape& shape)
{
    Ladder ladder;
    ladder.kind = Kind::Nope;
    ladder.name = ladder.parameters = kindName(Kind::Nope);
    ladder.context = shape.context;
    ladder.theta.assign(std::size_t(shape.rotaryDim / 2), 0.0);
    ladder.hash = ladderHash(ladder);
    return ladder;
}

std::string ladderHash(const Ladder& ladder)
{
    std::string bytes;
    appendNumbers(bytes, ladder.theta);
    const auto section = [&](const char* name, const std::vector<double>& values) {
        bytes += name;
        appendNumbers(bytes, values);
    };
    if (ladder.fourier) {
        const FourierSeries& series = *ladder.fourier;
        section("kept", series.kept);
        for (const Matrix* matrix : {&series.cosCoefficients, &series.sinCoefficients})
            for (const auto& row : *matrix)
                section("row", row);
        section("pad", {series.padCos, series.padSin});
    }
    if (ladder.tableScale != 1)
        section("scale", {ladder.tableScale});
    if (ladder.positionPeriod != 0)
        section("period", {double(ladder.positionPeriod)});
    if (!ladder.damping.empty()) {
        section("damping", ladder.damping);
        section("over", {ladder.dampingScale});
    }
    if (ladder.lengthRule == LengthRule::DynamicNtk)
        section("dynamic", {ladder.factor, double(ladder.context), ladder.base});
    if (ladder.lengthRule == LengthRule::LongRope) {
        section("long", ladder.longTheta);
        section("beyond", {double(ladder.context)});
    }
    if (ladder.keptPositions > 0) {
        section("first", ladder.keptTheta);
        section("of", {double(ladder.keptPositions)});
    }
    return sha256(bytes);
}

int distinctCharacters(const ExactTurns& turns)
{
    std::set<std::int64_t> classes;
    for (const std::int64_t a : turns.numerators) {
        const std::int64_t r = ((a % (2 * turns.context)) + 2 * turns.context) % (2 * turns.context);
        classes.insert(std::min(r, 2 * turns.context - r));
    }
    return int(classes.size());
}

}  // namespace holo::ladder
