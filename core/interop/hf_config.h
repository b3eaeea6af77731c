#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ladder/scheme.h"

namespace holo::interop {

// model_type of folders that carry our modelling file; their weights have our names.
inline constexpr const char* kOwnFamily = "holonomy";

// What a Hugging Face config.json says of a decoder: sizes, norms, biases and the rotary ladder, every spelling of a setting read alike.
struct HfConfig {
    std::string family;           // model_type: gpt_neox, llama, mistral, qwen2, qwen3, olmo, olmo2, or kOwnFamily
    std::string style;            // our block style: neox or llama
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int mlp = 0;
    int vocab = 0;
    std::int64_t context = 0;     // max_position_embeddings
    double rotaryPct = 1;
    int rotaryDim = 0;            // rotated lanes of a head, even; 0: none
    std::string norm;             // layernorm, rmsnorm, or layernorm-plain (no weights, OLMo)
    double normEps = 1e-5;
    std::string qkNorm = "none";  // as ModelSpec's
    std::string activation;       // as the file names it
    bool parallelResidual = false;
    bool qkvBias = false;
    bool outputBias = false;      // of the attention
    bool mlpBias = false;
    bool tied = false;
    std::int64_t window = 0;      // sliding window in use, 0: none
    ladder::Pairing pairing = ladder::Pairing::HalfSplit;
    ladder::Scheme rope;          // base always stated
    std::int64_t seed = 0;        // of the scheme's random coefficients
    std::vector<std::string> notes;        // what was derived, defaulted or ignored, one sentence each
    std::vector<std::string> unsupported;  // what our blocks cannot do, "FIELD is VALUE; allowed: …"
};

// Throws Error (malformed) for what is missing without a documented default, out of range, of the wrong type or contradictory (both fields
// named), (unsupported) for other architectures and unknown rope types. Never answers with a plain ladder where the file states another.
HfConfig parseHfConfig(const Json& json, const std::string& source);
HfConfig readHfConfig(const std::filesystem::path& file);

// Throws Error (unsupported) with the first entry of `unsupported`, if any.
void requireSupported(const HfConfig& config, const std::string& source);

// The model that the config's ladder meets.
ladder::ModelShape shapeOf(const HfConfig& config);

}  // namespace holo::interop
