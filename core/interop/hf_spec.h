#pragma once

#include "core/config/specs.h"
#include "core/interop/hf_config.h"
#include "core/ladder/plan.h"

namespace holo::interop {

// Our model that computes what a foreign config describes. Throws Error (unsupported) as requireSupported does.
config::ModelSpec modelSpecOf(const HfConfig& config, const std::string& source);

// The other way round: family, sizes and parts of the Hugging Face model that computes what ours (resolved, on `plan`) does; `rope` is left
// as it is. Throws Error (unsupported) naming the setting that no family has. `plan` must be uniform.
HfConfig hfConfigOf(const config::ModelSpec& model, const ladder::Plan& plan);

// config.json for hfConfigOf(), with the rotary ladder in the spellings of transformers 4 and 5. Throws Error (unsupported) for ladders that no
// rope type holds.
Json hfConfigJson(const HfConfig& config, const config::ModelSpec& model, const ladder::Plan& plan);

}  // namespace holo::interop
