// Bad input to positional schemes as whole classes: every kind meets exit code 2 and one sentence that names field, value found and value allowed.
#include <QtTest>

#include <functional>
#include <limits>

#include "core/ladder/kinds.h"
#include "tests/ladder/ladder_cases.h"

using namespace holo::ladder;
using namespace holo::ladder::cases;

namespace {

using Given = std::map<std::string, Value>;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

// What a kind demands on so many planes.
Given needed(Kind kind, int planes)
{
    switch (kind) {
    case Kind::Linear:
    case Kind::Ntk:
    case Kind::DynamicNtk:
    case Kind::Yarn:
    case Kind::MrRope: return {{"factor", 2.0}};
    case Kind::LongRope: return {{"factor", 2.0}, {"short", std::vector<double>(std::size_t(planes), 1.0)}, {"long", std::vector<double>(std::size_t(planes), 2.0)}};
    case Kind::Custom: return {{"theta", std::vector<double>(std::size_t(planes), .25)}};
    default: return {};
    }
}

// Empty if the refusal is as it should be; otherwise what is wrong with it.
std::string faultOf(const Refusal& refusal, const std::string& field)
{
    const std::string& text = refusal.message;
    if (refusal.code != 2)
        return "code " + std::to_string(refusal.code) + " " + text;
    if (text.empty() || (text.back() != '.' && text.back() != '?') || text.find('\n') != std::string::npos || text.find(". ") != std::string::npos)
        return "not one sentence: " + text;
    if (refusal.place.field.find(field) == std::string::npos)
        return "field " + refusal.place.field + ": " + text;
    if (text.find(field) == std::string::npos || text.find(refusal.place.found) == std::string::npos)
        return "does not name " + field + " and " + refusal.place.found + ": " + text;
    if (refusal.place.allowed.empty())
        return "nothing allowed: " + text;
    return {};
}

bool tablesAreFinite(const Plan& plan, std::int64_t length)
{
    for (const Ladder& ladder : plan.ladders)
        for (const Side side : {Side::Query, Side::Key}) {
            const PhaseTable table = phaseTable(ladder, length, side);
            for (std::size_t i = 0; i < table.cos.size(); ++i)
                if (!std::isfinite(table.cos[i]) || !std::isfinite(table.sin[i]))
                    return false;
        }
    return true;
}

}  // namespace

class TestRefusals : public QObject {
    Q_OBJECT

    static void everyKind()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kinds().size(); ++i)
            QTest::newRow(std::string(kinds()[i].name).c_str()) << int(i);
    }

    static void mustRefuse(const KindInfo& info, const ModelShape& shape, const std::string& key, const Value& value, const std::string& field)
    {
        Given given = needed(info.kind, shape.rotaryDim / 2);
        given[key] = value;
        const std::string fault = faultOf(refusalOf({info.kind, given, {}}, shape), field);
        QVERIFY2(fault.empty(), (std::string(info.name) + "." + key + "=" + valueText(value) + ": " + fault).c_str());
    }

private Q_SLOTS:
    void numbersOutOfRange_data() { everyKind(); }
    void numbersOutOfRange()
    {
        QFETCH(int, index);
        const KindInfo& info = kinds()[std::size_t(index)];
        const ModelShape shape = shapeOf(64, 2048);
        for (const ParameterInfo& p : info.parameters) {
            const std::string key(p.key);
            const std::string field = std::string(info.name) + "." + key;
            if (p.type != ParameterType::Number && p.type != ParameterType::Integer && p.type != ParameterType::List) {
                mustRefuse(info, shape, key, 3.0, field);
                continue;
            }
            mustRefuse(info, shape, key, std::string("many"), field);
            std::vector<double> wrong = {kNan, kInfinity, -kInfinity};
            if (std::isfinite(p.minimum))
                wrong.push_back(p.minimum - 1);
            if (p.exclusiveMinimum)
                wrong.push_back(p.minimum);
            if (std::isfinite(p.maximum))
                wrong.push_back(p.maximum * 2 + 1);
            if (p.type == ParameterType::Integer)
                wrong.push_back(64.5);
            for (const double value : wrong)
                mustRefuse(info, shape, key, value, field);
        }
        if (info.find("base"))
            for (const double base : {1.0, .5, 0.0, -10000.0})
                mustRefuse(info, shape, "base", base, "base");
        if (info.find("factor"))
            for (const double factor : {.99, 0.0, -2.0})
                mustRefuse(info, shape, "factor", factor, "factor");
    }

    void missingOnes_data() { everyKind(); }
    void missingOnes()
    {
        QFETCH(int, index);
        const KindInfo& info = kinds()[std::size_t(index)];
        for (const ParameterInfo& p : info.parameters) {
            if (!p.required)
                continue;
            Given given = needed(info.kind, 32);
            given.erase(std::string(p.key));
            const std::string fault = faultOf(refusalOf({info.kind, given, {}}, shapeOf(64, 2048)), std::string(info.name) + "." + std::string(p.key));
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    // The smallest models: a kind either works there or says why not.
    void smallAndOddShapes_data() { everyKind(); }
    void smallAndOddShapes()
    {
        QFETCH(int, index);
        const KindInfo& info = kinds()[std::size_t(index)];
        for (const int width : {2, 4, 6})
            for (const std::int64_t context : {2, 3, 7, 64, 2048}) {
                const Scheme scheme{info.kind, needed(info.kind, width / 2), {}};
                const ModelShape shape = shapeOf(width, context);
                const Refusal refusal = refusalOf(scheme, shape);
                if (refusal.code == 0)
                    QVERIFY2(tablesAreFinite(resolve(scheme, shape), 4 * context), qPrintable(QString("d %1, N %2").arg(width).arg(context)));
                else
                    QVERIFY2(faultOf(refusal, "").empty(), faultOf(refusal, "").c_str());
            }
        const std::pair<const char*, std::function<void(ModelShape&)>> broken[] = {
            {"context", [](ModelShape& s) { s.context = 1; }},       {"context", [](ModelShape& s) { s.context = 0; }},
            {"rotary_dim", [](ModelShape& s) { s.rotaryDim = 15; }}, {"rotary_dim", [](ModelShape& s) { s.rotaryDim = 66; }},
            {"base", [](ModelShape& s) { s.base = 1; }},             {"base", [](ModelShape& s) { s.base = kNan; }},
            {"kv_heads", [](ModelShape& s) { s.kvHeads = 3; }},      {"layers", [](ModelShape& s) { s.layers = 0; }},
        };
        for (const auto& [field, breakIt] : broken) {
            ModelShape shape = shapeOf(64, 2048);
            breakIt(shape);
            const std::string fault = faultOf(refusalOf({info.kind, needed(info.kind, 32), {}}, shape), field);
            QVERIFY2(fault.empty(), fault.c_str());
        }
    }

    void contradictoryValues()
    {
        for (const Contradiction& c : contradictions()) {
            Given given = needed(c.kind, c.width / 2);
            for (const auto& [key, value] : c.given)
                given[key] = value;
            const Refusal refusal = refusalOf({c.kind, given, {}}, shapeOf(c.width, c.context));
            const std::string fault = faultOf(refusal, c.field);
            QVERIFY2(fault.empty(), fault.c_str());
            QVERIFY2(refusal.message.find(c.said) != std::string::npos, refusal.message.c_str());
        }
    }

    void aliasesOnRequestAreCounted()
    {
        for (const auto& [kind, distinct] : {std::pair{Kind::Mobius, "24 of the 32"}, {Kind::Twisted, "24 of the 32"}}) {
            const Plan plan = resolve({kind, {{"context", 48.0}, {"aliases", "allow"}}, {}}, shapeOf(64, 2048));
            QVERIFY(std::any_of(plan.notes.begin(), plan.notes.end(), [&](const std::string& note) { return note.find(distinct) != std::string::npos; }));
        }
        QVERIFY(resolve({Kind::Mobius, {{"aliases", "allow"}}, {}}, shapeOf(64, 2048)).notes.empty());
    }

private:
    struct Contradiction {
        Kind kind;
        Given given;
        const char* field;
        const char* said;
        int width = 64;
        std::int64_t context = 2048;
    };

    static const std::vector<Contradiction>& contradictions()
    {
        static const std::vector<Contradiction> list = {
            {Kind::Mobius, {{"context", 62.0}}, "mobius.context", "at least 63"},
            {Kind::Mobius, {{"context", 48.0}}, "mobius.context", "24 of its 32 planes are distinct"},
            {Kind::Periodic, {{"context", 63.0}}, "periodic.context", "at least 64"},
            {Kind::Twisted, {{"context", 48.0}}, "twisted.context", "aliases=allow"},
            {Kind::Band, {{"context", 48.0}}, "band.context", "aliases=allow"},
            {Kind::Band, {{"context", 48.0}, {"variant", "C1"}}, "band.context", "aliases=allow"},
            {Kind::Fope, {{"context", 6.0}}, "fope.context", "N >= 7"},
            {Kind::Fope, {{"gain", .3}, {"std", .1}}, "fope.std", "gain"},
            {Kind::Fope, {{"fourier_dim", 65.0}}, "fope.fourier_dim", "even"},
            {Kind::Fope, {{"cap", 33.0}}, "fope.cap", "32"},
            {Kind::Fope, {{"cos", Matrix{{1}}}}, "fope.sin", "missing"},
            {Kind::Fope, {{"cos", Matrix{{1}}}, {"sin", Matrix{{1}}}}, "fope.cos", "1×1"},
            {Kind::Fope, {{"original", 2048.0}}, "fope.original", "below the context"},
            {Kind::Fope, {{"original", std::vector<double>{512, 256}}}, "fope.original", "rise"},
            {Kind::Fope, {{"original", 256.5}}, "fope.original", "whole"},
            {Kind::Fope, {}, "fope.cap", "width of 4", 2},
            {Kind::Yarn, {{"beta_fast", 1.0}}, "yarn.beta_fast", "more than beta_slow (1)"},
            {Kind::Yarn, {{"original", 4.0}}, "yarn.original", "ramp=turn"},
            {Kind::MrRope, {{"original", 128.0}}, "mrrope.original", "32 times"},
            {Kind::MrRope, {{"original", 67108864.0}}, "mrrope.original", "less than once"},
            {Kind::Llama3, {{"low", 4.0}}, "llama3.high", "more than low (4)"},
            {Kind::LongRope, {{"short", std::vector<double>{1, 2}}}, "longrope.short", "a list of 2 numbers"},
            {Kind::LongRope, {{"long", 1.0}}, "longrope.long", "a list of 1 number;"},
            {Kind::Custom, {{"theta", 1.0}}, "custom.theta", "a list of 1 frequency;"},
            {Kind::Custom, {{"theta", std::vector<double>{1, 2}}}, "custom.theta", "1 frequency, one a plane", 2},
            {Kind::Clipped, {}, "clipped.mode", "hard", 2},
            {Kind::Clipped, {{"planes", 3.0}}, "clipped.planes", "allowed: 2.", 4},
            {Kind::Clipped, {{"planes", 33.0}}, "clipped.planes", "2 to 32"},
            {Kind::Clipped, {{"planes", 2.0}, {"mode", "hard"}}, "clipped.planes", "allowed: 1.", 2},
            {Kind::Ntk, {}, "rotary_dim", "at least 4", 2},
            {Kind::DynamicNtk, {}, "rotary_dim", "at least 4", 2},
            {Kind::Window, {{"pattern", "SX"}}, "window.pattern", "SSSL"},
            {Kind::PeriodicRope, {{"pattern", ""}}, "periodic-rope.pattern", "SSSL"},
        };
        return list;
    }
};

QTEST_GUILESS_MAIN(TestRefusals)
#include "tst_ladder_refusals.moc"
