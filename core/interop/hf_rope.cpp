#include "core/interop/hf_rope.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::interop {

namespace {

constexpr std::int64_t kMaxContext = std::int64_t(1) << 40;

// One value that may stand in several places; all of them must agree.
class Agreed {
public:
    explicit Agreed(const std::string& source)
        : m_source(source)
    {
    }
    void add(const std::string& field, std::optional<double> value)
    {
        if (!value)
            return;
        if (m_value && *m_value != *value)
            throw Contradiction(m_source, m_field, formatDouble(*m_value), field, formatDouble(*value), "one value for both");
        m_value = value;
        m_field = field;
    }
    const std::optional<double>& value() const { return m_value; }

private:
    const std::string& m_source;
    std::optional<double> m_value;
    std::string m_field;
};

std::string typeName(JsonFields& fields)
{
    const auto modern = fields.text("rope_type");
    const auto older = fields.text("type");
    if (modern && older && *modern != *older)
        throw Contradiction(fields.source(), fields.fieldName("rope_type"), "\"" + *modern + "\"", fields.fieldName("type"), "\"" + *older + "\"", "one kind for both");
    return modern ? *modern : older.value_or("");
}

class ScalingReader {
public:
    ScalingReader(JsonFields& fields, JsonFields& config, std::int64_t context, std::vector<std::string>& notes)
        : m_fields(fields)
        , m_config(config)
        , m_context(context)
        , m_notes(notes)
    {
    }

    ladder::Scheme read(const HfRope& rope)
    {
        using ladder::Kind;
        const std::string type = typeName(m_fields);
        ladder::Scheme scheme;
        scheme.parameters["base"] = rope.base;
        if (type == "default" || type.empty()) {
            readPlain(type);
        } else if (type == "linear" || type == "ntk") {
            scheme.kind = type == "linear" ? Kind::Linear : Kind::Ntk;
            scheme.parameters["factor"] = factor();
        } else if (type == "dynamic") {
            scheme.kind = Kind::DynamicNtk;
            scheme.parameters["factor"] = factor();
            scheme.parameters["original"] = double(original());
        } else if (type == "yarn") {
            scheme.kind = Kind::Yarn;
            readYarn(scheme);
        } else if (type == "longrope" || type == "su") {
            scheme.kind = Kind::LongRope;
            readLongRope(scheme, rope.rotaryDim / 2);
        } else if (type == "llama3") {
            scheme.kind = Kind::Llama3;
            readLlama3(scheme);
        } else {
            throw Error::at(ErrorKind::Unsupported, {m_fields.source(), m_fields.fieldName(m_fields.has("rope_type") ? "rope_type" : "type"), "\"" + type + "\"",
                                                     "default, linear, dynamic, ntk, yarn, longrope, llama3"});
        }
        for (const std::string& key : m_fields.unknownKeys())
            m_notes.push_back(m_fields.fieldName(key) + " is not a setting of rope type " + (type.empty() ? "default" : type) + "; it is ignored");
        return scheme;
    }

private:
    void readPlain(const std::string& type)
    {
        const auto stated = m_fields.number("factor", 1);
        if (stated && *stated != 1)
            m_fields.fail("factor", formatDouble(*stated) + (type.empty() ? ", without a rope_type" : ", with rope_type default"), type.empty() ? "a rope_type beside it" : "1, or another rope_type");
        for (const char* key : {"short_factor", "long_factor", "low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow", "mscale", "attention_factor"})
            if (m_fields.has(key))
                m_fields.fail(key, "given" + std::string(type.empty() ? ", without a rope_type" : ", with rope_type default"), type.empty() ? "a rope_type beside it" : "no such field, or another rope_type");
        if (type.empty())
            m_notes.push_back(m_fields.fieldName("rope_type") + " is not stated; default, as documented");
    }

    double factor()
    {
        const auto value = m_fields.number("factor", 1);
        if (!value)
            m_fields.fail("factor", "missing", "a number from 1");
        return *value;
    }

    std::optional<std::int64_t> statedOriginal()
    {
        const char* const key = "original_max_position_embeddings";
        const auto inside = m_fields.integer(key, 2, kMaxContext);
        const auto outside = m_config.integer(key, 2, kMaxContext);
        Agreed agreed(m_fields.source());
        agreed.add(m_fields.fieldName(key), inside ? std::optional<double>(double(*inside)) : std::nullopt);
        agreed.add(key, outside ? std::optional<double>(double(*outside)) : std::nullopt);
        return inside ? inside : outside;
    }

    std::int64_t original()
    {
        if (const auto stated = statedOriginal())
            return *stated;
        m_notes.push_back("original_max_position_embeddings is not stated; it is max_position_embeddings, " + std::to_string(m_context));
        return m_context;
    }

    // Stated, or the ratio of the two contexts.
    double factorOrRatio(std::int64_t originalContext, bool originalStated)
    {
        const double ratio = double(m_context) / double(originalContext);
        const auto stated = m_fields.number("factor", 1);
        if (!stated && !originalStated)
            m_fields.fail("factor", "missing", "a number from 1, or original_max_position_embeddings to derive it from");
        if (!stated) {
            if (ratio < 1)
                contradict(originalContext, "max_position_embeddings from that on");
            m_notes.push_back(m_fields.fieldName("factor") + " is not stated; it is max_position_embeddings / original_max_position_embeddings = " + formatDouble(ratio));
            return ratio;
        }
        // Files that keep the original length in max_position_embeddings state the extension by the factor alone.
        if (ratio != 1 && std::abs(ratio - *stated) > 1e-9 * *stated)
            contradict(originalContext, "a factor that is their ratio, " + formatDouble(ratio) + ", and not " + formatDouble(*stated));
        if (ratio == 1 && originalStated && *stated != 1)
            m_notes.push_back("max_position_embeddings is the original length; the extended one is " + formatDouble(*stated) + " times that");
        return *stated;
    }

    [[noreturn]] void contradict(std::int64_t originalContext, const std::string& allowed)
    {
        m_fields.fail("original_max_position_embeddings", std::to_string(originalContext) + " while max_position_embeddings is " + std::to_string(m_context) +
                          " and factor is " + (m_fields.has("factor") ? formatDouble(*m_fields.number("factor", 1)) : std::string("missing")),
                      allowed);
    }

    void readYarn(ladder::Scheme& scheme)
    {
        const auto stated = statedOriginal();
        const std::int64_t length = stated ? *stated : original();
        scheme.parameters["original"] = double(length);
        scheme.parameters["factor"] = factorOrRatio(length, stated.has_value());
        const auto fast = m_fields.number("beta_fast", 0, 1e9, true);
        const auto slow = m_fields.number("beta_slow", 0, 1e9, true);
        if (fast.value_or(32) <= slow.value_or(1))
            m_fields.fail("beta_fast", formatDouble(fast.value_or(32)) + " while beta_slow is " + formatDouble(slow.value_or(1)), "a beta_fast above beta_slow");
        if (fast)
            scheme.parameters["beta_fast"] = *fast;
        if (slow)
            scheme.parameters["beta_slow"] = *slow;
        if (const auto truncate = m_fields.flag("truncate"); truncate && !*truncate)
            scheme.parameters["truncate"] = std::string("no");
        const auto attention = m_fields.number("attention_factor", 0, 1e9, true);
        const auto scale = m_fields.number("mscale", 0, 1e9);
        const auto all = m_fields.number("mscale_all_dim", 0, 1e9);
        if (attention) {
            scheme.parameters["attention_factor"] = *attention;
        } else if (scale && all && *scale != 0 && *all != 0) {
            scheme.parameters["mscale"] = *scale;
            scheme.parameters["mscale_all_dim"] = *all;
            m_notes.push_back(m_fields.fieldName("attention_factor") + " is not stated; it is the ratio of the factors of mscale and mscale_all_dim");
        } else {
            m_notes.push_back(m_fields.fieldName("attention_factor") + " is not stated; it is 0.1 ln(factor) + 1");
        }
    }

    void readLongRope(ladder::Scheme& scheme, int planes)
    {
        const auto stated = statedOriginal();
        const std::int64_t length = stated ? *stated : original();
        scheme.parameters["original"] = double(length);
        scheme.parameters["factor"] = factorOrRatio(length, stated.has_value());
        for (const auto& [key, name] : {std::pair("short_factor", "short"), std::pair("long_factor", "long")}) {
            const auto list = m_fields.numbers(key);
            if (!list)
                m_fields.fail(key, "missing", "a list of " + std::to_string(planes) + " numbers");
            if (int(list->size()) != planes)
                m_fields.fail(key, "a list of " + std::to_string(list->size()), std::to_string(planes) + ", one number for each rotation plane");
            scheme.parameters[name] = *list;
        }
        if (const auto attention = m_fields.number("attention_factor", 0, 1e9, true))
            scheme.parameters["attention_factor"] = *attention;
        else
            m_notes.push_back(m_fields.fieldName("attention_factor") + " is not stated; it is sqrt(1 + ln(factor)/ln(original))");
    }

    void readLlama3(ladder::Scheme& scheme)
    {
        scheme.parameters["factor"] = factor();
        const auto length = statedOriginal();
        if (!length)
            m_fields.fail("original_max_position_embeddings", "missing", "a whole number from 2");
        const auto low = m_fields.number("low_freq_factor", 0, 1e9, true);
        const auto high = m_fields.number("high_freq_factor", 0, 1e9, true);
        if (!low)
            m_fields.fail("low_freq_factor", "missing", "a number above 0");
        if (!high)
            m_fields.fail("high_freq_factor", "missing", "a number above 0");
        if (*high <= *low)
            m_fields.fail("high_freq_factor", formatDouble(*high) + " while low_freq_factor is " + formatDouble(*low), "a high_freq_factor above low_freq_factor");
        if (*length >= m_context)
            m_notes.push_back("original_max_position_embeddings, " + std::to_string(*length) + ", is not below max_position_embeddings, " + std::to_string(m_context));
        scheme.parameters["original"] = double(*length);
        scheme.parameters["low"] = *low;
        scheme.parameters["high"] = *high;
    }

    JsonFields& m_fields;
    JsonFields& m_config;
    std::int64_t m_context;
    std::vector<std::string>& m_notes;
};

bool sameScheme(const ladder::Scheme& a, const ladder::Scheme& b) { return a.kind == b.kind && a.parameters == b.parameters; }

}  // namespace

HfRope readHfRope(JsonFields& config, int headDim, std::int64_t context, double defaultPct, std::vector<std::string>& notes)
{
    const std::string& source = config.source();
    std::vector<JsonFields> places;
    for (const char* key : {"rope_scaling", "rope_parameters"})
        if (auto object = config.object(key)) {
            // Transformers 5 nests the settings by layer type where layers differ.
            for (const std::string& inner : object->unknownKeys())
                if (const Json* value = object->raw(inner); value && value->is_object())
                    throw Error::at(ErrorKind::Unsupported, {source, object->fieldName(inner), "settings of one layer type", "one setting for all layers"});
            places.emplace_back(*config.object(key));
        }

    Agreed base(source);
    Agreed pct(source);
    for (const char* key : {"rope_theta", "rotary_emb_base"})
        base.add(key, config.number(key, 1, 1e300, true));
    for (const char* key : {"partial_rotary_factor", "rotary_pct"})
        pct.add(key, config.number(key, 0, 1));
    for (JsonFields& place : places) {
        base.add(place.fieldName("rope_theta"), place.number("rope_theta", 1, 1e300, true));
        pct.add(place.fieldName("partial_rotary_factor"), place.number("partial_rotary_factor", 0, 1));
    }
    HfRope rope;
    if (base.value())
        rope.base = *base.value();
    else
        notes.push_back("rope_theta is not stated; 10000, as documented");
    rope.rotaryPct = pct.value().value_or(defaultPct);
    if (!pct.value() && defaultPct != 1)
        notes.push_back("rotary_pct is not stated; " + formatDouble(defaultPct) + ", as documented");
    rope.rotaryDim = int(double(headDim) * rope.rotaryPct);
    if (rope.rotaryDim % 2 != 0)
        throw Error::at(ErrorKind::Malformed, {source, "the rotary width", std::to_string(rope.rotaryDim) + " (" + formatDouble(rope.rotaryPct) + " of " + std::to_string(headDim) + " lanes)", "an even number"});

    std::vector<ladder::Scheme> schemes;
    for (JsonFields& place : places)
        schemes.push_back(ScalingReader(place, config, context, notes).read(rope));
    if (schemes.size() == 2 && !sameScheme(schemes[0], schemes[1])) {
        const auto shown = [&](std::size_t i) { return dumpLine(*config.raw(i == 0 ? "rope_scaling" : "rope_parameters")).substr(0, 200); };
        throw Contradiction(source, "rope_scaling", shown(0), "rope_parameters", shown(1), "one ladder in both");
    }
    if (!schemes.empty())
        rope.scheme = schemes.back();
    else
        rope.scheme.parameters["base"] = rope.base;
    if (rope.rotaryDim == 0) {
        rope.scheme = ladder::Scheme();
        rope.scheme.kind = ladder::Kind::Nope;
        notes.push_back("the rotary width is 0: nothing is rotated");
    }
    std::sort(notes.begin(), notes.end());
    notes.erase(std::unique(notes.begin(), notes.end()), notes.end());
    return rope;
}

}  // namespace holo::interop
