#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/interop/hf_custom.h"
#include "core/interop/hf_spec.h"
#include "core/interop/json_fields.h"

namespace holo::interop {

namespace {

constexpr std::int64_t kMaxSize = 1 << 24;
constexpr std::int64_t kMaxContext = std::int64_t(1) << 40;
constexpr double kRounding = 1e-12;

// Equal texts, keys and lengths, and numbers that agree within rounding; else `where` is the first place that differs.
bool agree(const Json& a, const Json& b, const std::string& path, std::string& where)
{
    if (a.is_array() && b.is_array() && a.size() == b.size()) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!agree(a[i], b[i], path + "[" + std::to_string(i) + "]", where))
                return false;
        return true;
    }
    if (a.is_object() && b.is_object() && a.size() == b.size()) {
        for (const auto& [key, value] : a.items())
            if (!agree(value, b.value(key, Json()), path + "." + key, where))
                return false;
        return true;
    }
    where = path;
    if (!a.is_number() || !b.is_number())
        return a == b;
    const double x = a.get<double>();
    const double y = b.get<double>();
    return std::abs(x - y) <= kRounding * std::max(std::abs(x), std::abs(y));
}

class CustomReader {
public:
    CustomReader(const Json& json, const std::string& source)
        : m_fields(json, source)
    {
    }

    HfConfig read()
    {
        m_out.family = kOwnFamily;
        const Json* names = m_fields.raw("architectures");
        if (names && *names != Json({"HolonomyForCausalLM"}))
            throw Error::at(ErrorKind::Unsupported, {m_fields.source(), "architectures", dumpLine(*names).substr(0, 100), "HolonomyForCausalLM"});
        m_out.layers = int(m_fields.requiredInteger("num_hidden_layers", 1, 100000));
        m_out.vocab = int(m_fields.requiredInteger("vocab_size", 1, 1 << 30));
        m_out.context = m_fields.requiredInteger("max_position_embeddings", 1, kMaxContext);
        readBlock(part("block"));
        readScheme(part("holonomy"));
        comparePositions();
        m_out.notes.push_back("the modelling file beside the config is not run; the weights are read by what the config says");
        return std::move(m_out);
    }

private:
    JsonFields part(const std::string& key)
    {
        auto object = m_fields.object(key);
        if (!object)
            m_fields.fail(key, "missing", "an object, as our export writes it");
        return *object;
    }

    static bool flag(JsonFields& block, const std::string& key)
    {
        const auto value = block.flag(key);
        if (!value)
            block.fail(key, "missing", "true or false");
        return *value;
    }

    static std::string choice(JsonFields& block, const std::string& key, const std::vector<std::string>& allowed)
    {
        const auto value = block.text(key);
        if (!value || std::find(allowed.begin(), allowed.end(), *value) == allowed.end())
            block.fail(key, value ? *value : "missing", join(allowed, ", "));
        return *value;
    }

    void readBlock(JsonFields block)
    {
        m_out.hidden = int(block.requiredInteger("hidden", 2, kMaxSize));
        m_out.heads = int(block.requiredInteger("heads", 1, 1 << 20));
        m_out.kvHeads = int(block.requiredInteger("kv_heads", 1, 1 << 20));
        if (m_out.heads % m_out.kvHeads != 0)
            block.fail("kv_heads", std::to_string(m_out.kvHeads) + " while heads is " + std::to_string(m_out.heads), "a divisor of heads");
        m_out.headDim = int(block.requiredInteger("head_dim", 1, kMaxSize));
        m_out.mlp = int(block.requiredInteger("mlp", 1, kMaxSize));
        m_out.rotaryDim = int(block.requiredInteger("rotary_dim", 0, m_out.headDim));
        m_out.rotaryPct = block.number("rotary_pct", 0, 1).value_or(double(m_out.rotaryDim) / m_out.headDim);
        if (int(m_out.headDim * m_out.rotaryPct) != m_out.rotaryDim || m_out.rotaryDim % 2 != 0)
            block.fail("rotary_dim", std::to_string(m_out.rotaryDim) + " while rotary_pct is " + formatDouble(m_out.rotaryPct) + " of " + std::to_string(m_out.headDim) + " lanes", "an even share of the lanes");
        m_out.pairing = choice(block, "pairing", {"half", "interleaved"}) == "half" ? ladder::Pairing::HalfSplit : ladder::Pairing::Interleaved;
        m_out.parallelResidual = flag(block, "parallel");
        m_out.style = flag(block, "gated") ? "llama" : "neox";
        m_out.activation = m_out.style == "llama" ? "silu" : "gelu";
        const std::string norm = choice(block, "norm", {"layernorm", "rmsnorm", "plain"});
        m_out.norm = norm == "plain" ? "layernorm-plain" : norm;
        const auto eps = block.number("norm_eps", 0, 1, true);
        if (!eps)
            block.fail("norm_eps", "missing", "a number above 0");
        m_out.normEps = *eps;
        m_out.qkNorm = choice(block, "qk_norm", {"none", "layernorm", "rms"});
        m_out.qkvBias = flag(block, "qkv_bias");
        m_out.outputBias = flag(block, "output_bias");
        m_out.mlpBias = flag(block, "mlp_bias");
        if ((m_out.mlpBias && !m_out.outputBias) || (m_out.outputBias && !m_out.qkvBias))
            block.fail("mlp_bias", "with other biases than our blocks have", "none, qkv, qkv and output, or all");
        m_out.tied = flag(block, "tied");
    }

    void readScheme(JsonFields own)
    {
        const Json* scheme = own.raw("scheme");
        if (!scheme)
            own.fail("scheme", "missing", "a positional scheme");
        m_out.rope = config::schemeFromJson(*scheme, "holonomy.scheme");
        m_out.seed = own.integer("seed", 0).value_or(0);
    }

    void comparePositions()
    {
        const Json* stated = m_fields.raw("positions");
        if (!stated)
            m_fields.fail("positions", "missing", "an object, as our export writes it");
        const config::ModelSpec model = modelSpecOf(m_out, m_fields.source());
        const Json built = customConfigJson(model, ladder::resolve(m_out.rope, shapeOf(m_out)))["positions"];
        std::string where;
        if (!agree(built, *stated, "positions", where))
            throw Contradiction(m_fields.source(), "holonomy.scheme", config::shortForm(m_out.rope).substr(0, 200), where, "something else", "one scheme in both");
    }

    JsonFields m_fields;
    HfConfig m_out;
};

}  // namespace

HfConfig parseCustomConfig(const Json& json, const std::string& source) { return CustomReader(json, source).read(); }

}  // namespace holo::interop
