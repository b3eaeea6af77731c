#pragma once

#include "core/config/specs.h"

namespace holo::config {

enum class NormKind { LayerNorm, RmsNorm, Plain };  // plain: LayerNorm without weights, as in OLMo

// What a block consists of, "auto" replaced by what the style means: neox is parallel with LayerNorm and all biases (Pythia), llama is
// sequential with RMSNorm and none.
struct BlockParts {
    bool parallel = false;
    bool gated = false;        // SwiGLU rather than GELU
    NormKind norm = NormKind::LayerNorm;
    bool qkvBias = false;
    bool outputBias = false;   // of the attention
    bool mlpBias = false;
};

inline BlockParts blockParts(const ModelSpec& m)
{
    const bool neox = m.style == "neox";
    BlockParts parts;
    parts.gated = !neox;
    parts.parallel = m.residual == "auto" ? neox : m.residual == "parallel";
    if (m.norm == "plain")
        parts.norm = NormKind::Plain;
    else
        parts.norm = (m.norm == "auto" ? neox : m.norm == "layernorm") ? NormKind::LayerNorm : NormKind::RmsNorm;
    const bool all = m.biases == "auto" ? neox : m.biases == "all";
    parts.outputBias = all || m.biases == "attention";
    parts.qkvBias = parts.outputBias || m.biases == "qkv";
    parts.mlpBias = all;
    return parts;
}

}  // namespace holo::config
