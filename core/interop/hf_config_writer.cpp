#include "core/interop/hf_config_writer.h"

#include "core/base/error.h"

namespace holo::interop {

Json hfConfigJson(const HfConfig& c, const std::vector<double>& thetas, double base)
{
    const bool neox = c.style == "neox";
    if (int(thetas.size()) * 2 != c.rotaryDim)
        throw Error::at(ErrorKind::Internal, {"", "frequencies", std::to_string(thetas.size()), std::to_string(c.rotaryDim / 2) + ", the rotation planes"});
    if (!neox && c.rotaryDim != c.headDim)
        throw Error::at(ErrorKind::Unsupported, {"", "the rotary width", std::to_string(c.rotaryDim) + " of " + std::to_string(c.headDim) + " lanes", "all lanes of a head in a Llama file"});
    Json json;
    json["architectures"] = Json::array({neox ? "GPTNeoXForCausalLM" : "LlamaForCausalLM"});
    json["model_type"] = neox ? "gpt_neox" : "llama";
    json["hidden_size"] = c.hidden;
    json["intermediate_size"] = c.mlp;
    json["num_hidden_layers"] = c.layers;
    json["num_attention_heads"] = c.heads;
    json["vocab_size"] = c.vocab;
    json["max_position_embeddings"] = c.context;
    json["tie_word_embeddings"] = c.tied;
    json["torch_dtype"] = "float32";
    if (neox) {
        json["layer_norm_eps"] = c.normEps;
        json["hidden_act"] = "gelu";
        json["use_parallel_residual"] = true;
        json["attention_bias"] = true;
        json["rotary_pct"] = c.rotaryPct;
        json["rotary_emb_base"] = base;
    } else {
        json["num_key_value_heads"] = c.kvHeads;
        json["head_dim"] = c.headDim;
        json["rms_norm_eps"] = c.normEps;
        json["hidden_act"] = "silu";
        json["attention_bias"] = false;
        json["mlp_bias"] = false;
    }
    if (thetas.empty())
        return json;
    Json rope = hfRopeFields(thetas, base, c.context);
    if (neox)
        rope["rope_parameters"]["partial_rotary_factor"] = c.rotaryPct;
    for (const auto& [key, value] : rope.items())
        json[key] = value;
    return json;
}

}  // namespace holo::interop
