#include "core/interop/hf_spec.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/block_parts.h"
#include "core/interop/hf_rope_writer.h"

namespace holo::interop {

namespace {

[[noreturn]] void lacks(const std::string& field, const std::string& found, const std::string& allowed) { throw Error::at(ErrorKind::Unsupported, {"", field, found, allowed}); }

std::string biasesOf(const HfConfig& c)
{
    if (c.mlpBias)
        return "all";
    return c.outputBias ? "attention" : c.qkvBias ? "qkv" : "none";
}

const char* architectureOf(const std::string& family)
{
    if (family == "gpt_neox")
        return "GPTNeoXForCausalLM";
    if (family == "mistral")
        return "MistralForCausalLM";
    if (family == "qwen2")
        return "Qwen2ForCausalLM";
    return family == "olmo" ? "OlmoForCausalLM" : "LlamaForCausalLM";
}

// What stands in the way of a single rotation for all heads.
void requirePlainHeads(const ladder::Plan& plan, bool mayHaveWindow)
{
    const ladder::HeadAssignment& head = plan.heads.front().front();
    const ladder::Ladder& ladder = plan.ladders[std::size_t(head.ladder)];
    if (head.slope != 0)
        lacks("scheme", "a bias that falls with distance (ALiBi)", "schemes without");
    if (head.window != 0 && !mayHaveWindow)
        lacks("scheme", "a window of " + std::to_string(head.window) + " keys", "a window in models of style llama without biases");
    if (head.temperature != 1 || plan.logLengthTemperature)
        lacks("scheme", "a temperature of the logits", "schemes without");
    if (head.form != ladder::AttentionForm::Softmax || plan.landmarkBlock != 0)
        lacks("scheme", "another form of attention", "softmax over all keys");
    if (ladder.fourier)
        lacks("scheme", ladder.name + ", a series in every plane", "ladders of one frequency a plane");
    if (!ladder.damping.empty())
        lacks("scheme", ladder.name + ", which fades with distance", "pure rotations");
    if (ladder.positionPeriod != 0)
        lacks("scheme", ladder.name + ", whose positions start over", "positions that count on");
    if (ladder.keptPositions != 0)
        lacks("scheme.kept", std::to_string(ladder.keptPositions), "0");
}

[[noreturn]] void refuseHybrid(const ladder::Plan& plan)
{
    for (const auto& heads : plan.heads)
        for (const ladder::HeadAssignment& head : heads)
            if (head.slope != 0)
                lacks("scheme", "a bias that falls with distance (ALiBi)", "schemes without");
    for (const ladder::Ladder& ladder : plan.ladders)
        if (ladder.fourier)
            lacks("scheme", ladder.name + ", a series in every plane", "ladders of one frequency a plane");
    const std::string found = plan.ladders.size() > 1 ? "a hybrid of " + std::to_string(plan.ladders.size()) + " ladders" : "heads that attend differently";
    lacks("scheme", found, "one scheme for all heads; a config of transformers holds no other");
}

void useParts(HfConfig& c, const config::ModelSpec& model, bool window)
{
    const config::BlockParts parts = config::blockParts(model);
    const bool rms = parts.norm == config::NormKind::RmsNorm;
    c.parallelResidual = parts.parallel;
    c.qkvBias = parts.qkvBias;
    c.outputBias = parts.outputBias;
    c.mlpBias = parts.mlpBias;
    c.norm = rms ? "rmsnorm" : parts.norm == config::NormKind::Plain ? "layernorm-plain" : "layernorm";
    if (!parts.gated) {
        c.family = "gpt_neox";
        c.activation = "gelu";
        if (c.norm != "layernorm")
            lacks("model.norm", model.norm, "layernorm in family gpt_neox");
        if (!parts.mlpBias)
            lacks("model.biases", model.biases, "all in family gpt_neox");
        if (model.kvHeads != model.heads)
            lacks("model.kv_heads", std::to_string(model.kvHeads), std::to_string(model.heads) + ", as many as heads, in family gpt_neox");
        if (model.heads * model.headDim != model.hidden)
            lacks("model.head_dim", std::to_string(model.headDim), "hidden / heads in family gpt_neox");
        return;
    }
    c.activation = "silu";
    if (parts.parallel)
        lacks("model.residual", model.residual, "sequential in style llama");
    if (c.rotaryDim != c.headDim)
        lacks("model.rotary_pct", formatDouble(model.rotaryPct), "1 in style llama");
    if (c.norm == "layernorm")
        lacks("model.norm", model.norm, "rmsnorm or plain in style llama");
    if (!rms) {
        c.family = "olmo";
        if (model.normEps != 1e-5)
            lacks("model.norm_eps", formatDouble(model.normEps), "1e-05 in family olmo");
        if (parts.mlpBias || parts.qkvBias != parts.outputBias)
            lacks("model.biases", model.biases, "none or attention in family olmo");
        if (model.heads * model.headDim != model.hidden)
            lacks("model.head_dim", std::to_string(model.headDim), "hidden / heads in family olmo");
    } else if (parts.qkvBias && !parts.outputBias) {
        c.family = "qwen2";
    } else {
        c.family = window ? "mistral" : "llama";
    }
}

}  // namespace

config::ModelSpec modelSpecOf(const HfConfig& c, const std::string& source)
{
    requireSupported(c, source);
    config::ModelSpec m;
    m.style = c.style;
    m.layers = c.layers;
    m.hidden = c.hidden;
    m.heads = c.heads;
    m.kvHeads = c.kvHeads;
    m.headDim = c.headDim;
    m.mlp = c.mlp;
    m.context = c.context;
    m.rotaryPct = c.rotaryPct;
    if (const auto base = c.rope.parameters.find("base"); base != c.rope.parameters.end())
        m.ropeBase = std::get<double>(base->second);
    m.residual = c.parallelResidual == (c.style == "neox") ? "auto" : c.parallelResidual ? "parallel" : "sequential";
    m.norm = c.norm == "layernorm-plain" ? "plain" : c.norm == (c.style == "neox" ? "layernorm" : "rmsnorm") ? "auto" : c.norm;
    m.qkNorm = c.qkNorm;
    m.pairing = c.family == kOwnFamily && c.pairing == ladder::Pairing::Interleaved ? "interleaved" : "half";
    const std::string biases = biasesOf(c);
    m.biases = biases == (c.style == "neox" ? "all" : "none") ? "auto" : biases;
    m.normEps = c.normEps;
    m.tied = c.tied;
    m.vocab = c.vocab;
    return m;
}

HfConfig hfConfigOf(const config::ModelSpec& model, const ladder::Plan& plan)
{
    if (!plan.isUniform())
        refuseHybrid(plan);
    if (model.qkNorm != "none")
        lacks("model.qk_norm", model.qkNorm, "none");
    HfConfig c;
    c.style = model.style;
    c.layers = model.layers;
    c.hidden = model.hidden;
    c.heads = model.heads;
    c.kvHeads = model.kvHeads;
    c.headDim = model.headDim;
    c.mlp = model.mlp;
    c.vocab = model.vocab;
    c.context = model.context;
    c.rotaryPct = model.rotaryPct;
    c.rotaryDim = plan.shape.rotaryDim;
    c.normEps = model.normEps;
    c.tied = model.tied;
    c.window = plan.heads.front().front().window;
    useParts(c, model, c.window != 0);
    requirePlainHeads(plan, c.family == "mistral");
    return c;
}

Json hfConfigJson(const HfConfig& c, const config::ModelSpec& model, const ladder::Plan& plan)
{
    const bool neox = c.family == "gpt_neox";
    const ladder::Ladder& ladder = plan.ladders[std::size_t(plan.heads.front().front().ladder)];
    Json json = {{"architectures", {architectureOf(c.family)}}, {"model_type", c.family}, {"vocab_size", c.vocab}, {"hidden_size", c.hidden}, {"num_hidden_layers", c.layers},
                 {"num_attention_heads", c.heads}, {"intermediate_size", c.mlp}, {"hidden_act", c.activation}, {"max_position_embeddings", c.context}, {"tie_word_embeddings", c.tied},
                 {"attention_dropout", 0.0}, {"initializer_range", model.initStd}, {"use_cache", true}, {"bos_token_id", nullptr}, {"eos_token_id", nullptr}};
    if (neox) {
        json["layer_norm_eps"] = number(c.normEps);
        json["use_parallel_residual"] = c.parallelResidual;
        json["attention_bias"] = true;
        json["hidden_dropout"] = 0.0;
        json["rotary_pct"] = number(c.rotaryPct);
        json["partial_rotary_factor"] = number(c.rotaryPct);
    } else {
        json["num_key_value_heads"] = c.kvHeads;
        if (c.family != "olmo") {
            json["rms_norm_eps"] = number(c.normEps);
            json["head_dim"] = c.headDim;
        }
        if (c.family == "llama" || c.family == "olmo")
            json["attention_bias"] = c.outputBias;
        if (c.family == "llama")
            json["mlp_bias"] = c.mlpBias;
        if (c.family == "qwen2")
            json["use_sliding_window"] = false;
        if (c.family == "mistral")
            json["sliding_window"] = c.window;
    }
    json.update(hfRopeFields(ladder, model.ropeBase, c.context, neox ? c.rotaryPct : 1));
    if (neox)
        json["rotary_emb_base"] = json["rope_theta"];
    return json;
}

}  // namespace holo::interop
