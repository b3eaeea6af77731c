#include "core/interop/hf_config.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/interop/hf_custom.h"
#include "core/interop/hf_rope.h"
#include "core/interop/json_fields.h"

namespace holo::interop {

namespace {

constexpr std::int64_t kMaxSize = 1 << 24;
constexpr std::int64_t kMaxContext = std::int64_t(1) << 40;

// What a family fixes by its definition.
struct Family {
    const char* name;
    const char* architecture;
    const char* style;
    const char* norm;
    double epsDefault;
    double pctDefault;
    bool mayOmitKvHeads;   // then they are as many as the heads
    bool qkvBiasAlways;
};

constexpr Family kFamilies[] = {
    {"gpt_neox", "GPTNeoXForCausalLM", "neox", "layernorm", 1e-5, 0.25, true, false},
    {"llama", "LlamaForCausalLM", "llama", "rmsnorm", 1e-6, 1, true, false},
    {"mistral", "MistralForCausalLM", "llama", "rmsnorm", 1e-6, 1, false, false},
    {"qwen2", "Qwen2ForCausalLM", "llama", "rmsnorm", 1e-6, 1, false, true},
    {"qwen3", "Qwen3ForCausalLM", "llama", "rmsnorm", 1e-6, 1, false, false},
    {"olmo", "OlmoForCausalLM", "llama", "layernorm-plain", 1e-5, 1, true, false},
    {"olmo2", "Olmo2ForCausalLM", "llama", "rmsnorm", 1e-5, 1, true, false},
};

std::string familyNames()
{
    std::vector<std::string> names;
    for (const Family& family : kFamilies)
        names.emplace_back(family.name);
    return join(names, ", ");
}

const Family& familyOf(JsonFields& fields, std::vector<std::string>& notes)
{
    const auto type = fields.text("model_type");
    std::string architecture;
    if (const Json* list = fields.raw("architectures")) {
        if (!list->is_array() || list->size() != 1 || !list->front().is_string())
            fields.fail("architectures", dumpLine(*list).substr(0, 100), "a list with one name");
        architecture = list->front().get<std::string>();
    }
    if (!type && architecture.empty())
        fields.fail("model_type", "missing", "one of " + familyNames());
    for (const Family& family : kFamilies) {
        if (type ? *type != family.name : architecture != family.architecture)
            continue;
        if (type && !architecture.empty() && architecture != family.architecture) {
            const auto other = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& f) { return architecture == f.architecture; });
            if (other != std::end(kFamilies))
                fields.fail("architectures", architecture + " while model_type is " + *type, "names of one family");
            throw Error::at(ErrorKind::Unsupported, {fields.source(), "architectures", architecture, family.architecture});
        }
        if (!type)
            notes.push_back(std::string("model_type is not stated; ") + family.name + " from architectures");
        return family;
    }
    throw Error::at(ErrorKind::Unsupported, {fields.source(), type ? "model_type" : "architectures", type ? *type : architecture, familyNames()});
}

// One ladder for all heads in both, with frequencies that agree within rounding.
bool sameRotation(const ladder::Plan& a, const ladder::Plan& b)
{
    constexpr double kRounding = 1e-14;
    if (!a.isUniform() || !b.isUniform() || a.heads.front().front().window != b.heads.front().front().window || a.heads.front().front().slope != 0)
        return false;
    const ladder::Ladder& x = a.ladders.front();
    const ladder::Ladder& y = b.ladders.front();
    if (x.fourier || !x.damping.empty() || x.positionPeriod != 0 || x.theta.size() != y.theta.size() || x.tableScale != y.tableScale)
        return false;
    for (std::size_t j = 0; j < x.theta.size(); ++j)
        if (std::abs(x.theta[j] - y.theta[j]) > kRounding * std::abs(y.theta[j]))
            return false;
    const std::vector<double>& beyondX = x.lengthRule == ladder::LengthRule::LongRope ? x.longTheta : x.theta;
    const std::vector<double>& beyondY = y.lengthRule == ladder::LengthRule::LongRope ? y.longTheta : y.theta;
    for (std::size_t j = 0; j < beyondX.size(); ++j)
        if (std::abs(beyondX[j] - beyondY[j]) > kRounding * std::abs(beyondY[j]))
            return false;
    return (x.lengthRule == ladder::LengthRule::DynamicNtk) == (y.lengthRule == ladder::LengthRule::DynamicNtk);
}

class ConfigReader {
public:
    ConfigReader(const Json& json, const std::string& source)
        : m_fields(json, source)
    {
    }

    HfConfig read()
    {
        const Family& family = familyOf(m_fields, m_out.notes);
        m_out.family = family.name;
        m_out.style = family.style;
        readSizes(family);
        readBlocks(family);
        readBiases(family);
        readWindow();
        const HfRope rope = readHfRope(m_fields, m_out.headDim, m_out.context, family.pctDefault, m_out.notes);
        m_out.rope = rope.scheme;
        m_out.rotaryPct = rope.rotaryPct;
        m_out.rotaryDim = rope.rotaryDim;
        useWindow();
        useOwnScheme();
        if (m_fields.has("quantization_config"))
            lacking("quantization_config", "given", "none; weights in F32, F16 or BF16");
        noteUnknownKeys();
        return std::move(m_out);
    }

private:
    void lacking(const std::string& field, const std::string& found, const std::string& allowed)
    {
        m_out.unsupported.push_back(field + " is " + found + "; allowed: " + allowed);
    }

    void readSizes(const Family& family)
    {
        m_out.layers = int(m_fields.requiredInteger("num_hidden_layers", 1, 100000));
        m_out.hidden = int(m_fields.requiredInteger("hidden_size", 2, kMaxSize));
        m_out.heads = int(m_fields.requiredInteger("num_attention_heads", 1, 1 << 20));
        m_out.mlp = int(m_fields.requiredInteger("intermediate_size", 1, kMaxSize));
        m_out.vocab = int(m_fields.requiredInteger("vocab_size", 1, 1 << 30));
        m_out.context = m_fields.requiredInteger("max_position_embeddings", 1, kMaxContext);
        const auto headDim = m_fields.integer("head_dim", 1, kMaxSize);
        if (!headDim && m_out.hidden % m_out.heads != 0)
            m_fields.fail("num_attention_heads", std::to_string(m_out.heads) + " while hidden_size is " + std::to_string(m_out.hidden), "a divisor of hidden_size, or a head_dim beside it");
        m_out.headDim = headDim ? int(*headDim) : m_out.hidden / m_out.heads;
        if (!headDim)
            m_out.notes.push_back("head_dim is hidden_size / num_attention_heads = " + std::to_string(m_out.headDim));
        else if (family.name == std::string("gpt_neox") && std::int64_t(m_out.headDim) * m_out.heads != m_out.hidden)
            m_fields.fail("head_dim", std::to_string(m_out.headDim) + " while hidden_size / num_attention_heads is " + std::to_string(m_out.hidden) + "/" + std::to_string(m_out.heads), "one value for both");
        const auto kvHeads = m_fields.integer("num_key_value_heads", 1, 1 << 20);
        if (!kvHeads && !family.mayOmitKvHeads)
            m_fields.fail("num_key_value_heads", "missing", "a whole number from 1");
        m_out.kvHeads = int(kvHeads.value_or(m_out.heads));
        if (m_out.heads % m_out.kvHeads != 0)
            m_fields.fail("num_key_value_heads", std::to_string(m_out.kvHeads) + " while num_attention_heads is " + std::to_string(m_out.heads), "a divisor of num_attention_heads");
        if (family.name == std::string("gpt_neox") && m_out.kvHeads != m_out.heads)
            lacking("num_key_value_heads", std::to_string(m_out.kvHeads), std::to_string(m_out.heads) + " in family gpt_neox");
    }

    void readBlocks(const Family& family)
    {
        const bool neox = m_out.style == "neox";
        m_out.norm = family.norm;
        const char* const epsKey = neox ? "layer_norm_eps" : "rms_norm_eps";
        const bool fixedEps = m_out.norm == "layernorm-plain";
        const auto eps = fixedEps ? std::nullopt : m_fields.number(epsKey, 0, 1, true);
        m_out.normEps = eps.value_or(family.epsDefault);
        if (!eps && !fixedEps)
            m_out.notes.push_back(std::string(epsKey) + " is not stated; " + formatDouble(m_out.normEps) + ", as documented");
        m_out.activation = m_fields.text("hidden_act").value_or(neox ? "gelu" : "silu");
        if (m_out.activation != (neox ? "gelu" : "silu"))
            lacking("hidden_act", m_out.activation, neox ? "gelu" : "silu");
        m_out.parallelResidual = neox && m_fields.flag("use_parallel_residual").value_or(true);
        m_out.tied = m_fields.flag("tie_word_embeddings").value_or(false);
        if (m_out.family == "olmo2")
            lacking("model_type", "olmo2, which normalises the output of its blocks", "families that normalise the input");
        if (m_out.family == "qwen3")
            lacking("model_type", "qwen3, which normalises q and k with weights", "families without it");
        if (const auto clip = m_fields.number("clip_qkv", 0, 1e300))
            lacking("clip_qkv", formatDouble(*clip), "none");
    }

    void readBiases(const Family& family)
    {
        const bool neox = m_out.style == "neox";
        const auto attention = m_fields.flag("attention_bias");
        m_out.qkvBias = family.qkvBiasAlways || attention.value_or(neox);
        m_out.outputBias = !family.qkvBiasAlways && m_out.qkvBias;
        m_out.mlpBias = neox || m_fields.flag("mlp_bias").value_or(false);
        if (neox && !m_out.qkvBias)
            lacking("attention_bias", "false", "true in family gpt_neox");
        if (!neox && m_out.mlpBias && !m_out.outputBias)
            lacking("mlp_bias", "true", "false without attention_bias");
    }

    // Mistral's window holds for every layer; others mix layers with and without.
    void readWindow()
    {
        const auto size = m_fields.integer("sliding_window", 1, kMaxContext);
        const auto use = m_fields.flag("use_sliding_window");
        m_fields.ignore({"max_window_layers"});
        const bool on = size && use.value_or(m_out.family == "mistral");
        m_out.window = on && *size < m_out.context ? *size : 0;
        if (m_out.window > 0 && m_out.family != "mistral")
            lacking("sliding_window", std::to_string(m_out.window), "none, or at least max_position_embeddings, " + std::to_string(m_out.context));
        else if (size && !on)
            m_out.notes.push_back("sliding_window is " + std::to_string(*size) + ", but not in use");
    }

    void useWindow()
    {
        if (m_out.window == 0 || m_out.family != "mistral")
            return;
        if (m_out.rope.kind != ladder::Kind::Standard) {
            lacking("sliding_window", std::to_string(m_out.window) + " beside a scaled ladder", "none, or rope type default");
            return;
        }
        m_out.rope.kind = ladder::Kind::Window;
        m_out.rope.parameters["size"] = double(m_out.window);
    }

    // Our exports say beside the rope settings which scheme they stand for; it is believed only where both give the same frequencies.
    void useOwnScheme()
    {
        const Json* own = m_fields.raw("holonomy");
        if (!own || m_out.rotaryDim == 0)
            return;
        if (!own->is_object() || !own->contains("scheme"))
            m_fields.fail("holonomy", dumpLine(*own).substr(0, 100), "an object with a scheme");
        const ladder::Scheme scheme = config::schemeFromJson(own->at("scheme"), "holonomy.scheme");
        const ladder::ModelShape shape = shapeOf(m_out);
        const ladder::Plan stated = ladder::resolve(scheme, shape);
        const ladder::Plan read = ladder::resolve(m_out.rope, shape);
        if (!sameRotation(stated, read))
            throw Contradiction(m_fields.source(), "holonomy.scheme", config::shortForm(scheme), "rope_parameters", config::shortForm(m_out.rope).substr(0, 200), "one ladder for both");
        m_out.rope = scheme;
        m_out.notes.push_back("the ladder is " + config::shortForm(scheme) + ", as the file says; its rope settings hold the same frequencies");
    }

    void noteUnknownKeys()
    {
        m_fields.ignore({"_name_or_path", "transformers_version", "torch_dtype", "dtype", "use_cache", "bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "initializer_range",
                         "attention_dropout", "hidden_dropout", "attention_probs_dropout_prob", "hidden_dropout_prob", "classifier_dropout", "pretraining_tp", "is_decoder", "gradient_checkpointing",
                         "original_max_position_embeddings", "layer_types", "return_dict", "output_attentions", "output_hidden_states", "auto_map", "quantization_config"});
        for (const std::string& key : m_fields.unknownKeys())
            m_out.notes.push_back("the key \"" + key.substr(0, 80) + "\" is not known here; it is ignored");
    }

    JsonFields m_fields;
    HfConfig m_out;
};

}  // namespace

HfConfig parseHfConfig(const Json& json, const std::string& source)
{
    const bool own = json.is_object() && json.value("model_type", Json(nullptr)) == kOwnFamily;
    return own ? parseCustomConfig(json, source) : ConfigReader(json, source).read();
}

ladder::ModelShape shapeOf(const HfConfig& config)
{
    ladder::ModelShape shape;
    shape.layers = config.layers;
    shape.heads = config.heads;
    shape.kvHeads = config.kvHeads;
    shape.headDim = config.headDim;
    shape.rotaryDim = config.rotaryDim;
    shape.context = config.context;
    shape.pairing = config.pairing;
    shape.seed = std::uint64_t(config.seed);
    if (const auto base = config.rope.parameters.find("base"); base != config.rope.parameters.end())
        shape.base = std::get<double>(base->second);
    return shape;
}

HfConfig readHfConfig(const std::filesystem::path& file) { return parseHfConfig(readJsonFile(file, {.bytes = 16u << 20, .depth = 32}), file.string()); }

void requireSupported(const HfConfig& config, const std::string& source)
{
    if (config.unsupported.empty())
        return;
    const std::string& first = config.unsupported.front();
    const auto is = first.find(" is ");
    const auto allowed = first.find("; allowed: ");
    throw Error::at(ErrorKind::Unsupported, {source, first.substr(0, is), first.substr(is + 4, allowed - is - 4), first.substr(allowed + 11)});
}

}  // namespace holo::interop
