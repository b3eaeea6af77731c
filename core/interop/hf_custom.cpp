#include "core/interop/hf_custom.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/block_parts.h"

namespace holo::interop {

namespace {

[[noreturn]] void lacks(const std::string& field, const std::string& found, const std::string& allowed) { throw Error::at(ErrorKind::Unsupported, {"", field, found, allowed}); }

Json ladderJson(const ladder::Ladder& ladder, int planes)
{
    if (ladder.lengthRule != ladder::LengthRule::Fixed)
        lacks("scheme", ladder.name + ", whose frequencies depend on the length, beside other ladders or settings of ours", "ladders of fixed frequencies");
    if (!ladder.damping.empty())
        lacks("scheme", ladder.name + ", which fades with distance", "pure rotations");
    if (ladder.keptPositions != 0)
        lacks("scheme.kept", std::to_string(ladder.keptPositions), "0");
    Json json = {{"name", ladder.name}, {"planes", planes}, {"table_scale", ladder.tableScale}};
    if (ladder.positionPeriod > 0)
        json["position_period"] = ladder.positionPeriod;
    if (ladder.fourier) {
        json["kept"] = ladder.fourier->kept;
        json["cos"] = ladder.fourier->cosCoefficients;
        json["sin"] = ladder.fourier->sinCoefficients;
        json["pad_cos"] = ladder.fourier->padCos;
        json["pad_sin"] = ladder.fourier->padSin;
    } else {
        json["theta"] = ladder.kind == ladder::Kind::Nope ? std::vector<double>(std::size_t(planes), 0.0) : ladder.theta;
    }
    return json;
}

Json headsJson(const ladder::Plan& plan)
{
    if (plan.logLengthTemperature || plan.landmarkBlock != 0)
        lacks("scheme", "attention whose logits depend on the position or on landmarks", "softmax of plain scores");
    Json layers = Json::array();
    for (const auto& heads : plan.heads) {
        Json list = Json::array();
        for (const ladder::HeadAssignment& head : heads) {
            if (head.form != ladder::AttentionForm::Softmax)
                lacks("scheme", "another form of attention", "softmax of plain scores");
            list.push_back({{"ladder", head.ladder}, {"slope", head.slope}, {"window", head.window}, {"temperature", head.temperature}});
        }
        layers.push_back(std::move(list));
    }
    return layers;
}

}  // namespace

Json customConfigJson(const config::ModelSpec& m, const ladder::Plan& plan)
{
    const config::BlockParts parts = config::blockParts(m);
    const char* const norm = parts.norm == config::NormKind::LayerNorm ? "layernorm" : parts.norm == config::NormKind::RmsNorm ? "rmsnorm" : "plain";
    Json ladders = Json::array();
    for (const ladder::Ladder& ladder : plan.ladders)
        ladders.push_back(ladderJson(ladder, plan.shape.rotaryDim / 2));
    const std::string module = std::string(kModellingFile).substr(0, std::string(kModellingFile).find('.'));
    return {{"architectures", {"HolonomyForCausalLM"}}, {"model_type", "holonomy"},
            {"auto_map", {{"AutoConfig", module + ".HolonomyConfig"}, {"AutoModelForCausalLM", module + ".HolonomyForCausalLM"}}},
            {"vocab_size", m.vocab}, {"hidden_size", m.hidden}, {"num_hidden_layers", m.layers}, {"num_attention_heads", m.heads}, {"max_position_embeddings", m.context}, {"tie_word_embeddings", false},
            {"block", {{"hidden", m.hidden}, {"heads", m.heads}, {"kv_heads", m.kvHeads}, {"head_dim", m.headDim}, {"mlp", m.mlp}, {"rotary_dim", plan.shape.rotaryDim}, {"rotary_pct", m.rotaryPct}, {"pairing", m.pairing},
                          {"parallel", parts.parallel}, {"gated", parts.gated}, {"norm", norm}, {"norm_eps", m.normEps}, {"qk_norm", m.qkNorm}, {"qkv_bias", parts.qkvBias},
                          {"output_bias", parts.outputBias}, {"mlp_bias", parts.mlpBias}, {"tied", m.tied}}},
            {"positions", {{"ladders", ladders}, {"heads", headsJson(plan)}}}};
}

}  // namespace holo::interop
