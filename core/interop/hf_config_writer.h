#pragma once

#include <vector>

#include "core/base/json.h"
#include "core/interop/hf_config.h"

namespace holo::interop {

// A config.json for a model of ours: GPTNeoXForCausalLM for style neox, LlamaForCausalLM for style llama. `thetas` are the frequencies of its
// uniform ladder in rad/token (hfRopeFields; none for a rotary width of 0), `base` that of the standard ladder. Reading it back gives the same
// sizes and the same frequencies. Throws Error (unsupported) for what no rope type of transformers can say.
Json hfConfigJson(const HfConfig& config, const std::vector<double>& thetas, double base);

}  // namespace holo::interop
