#pragma once

#include <string>

#include "core/base/json.h"
#include "core/config/specs.h"
#include "core/interop/hf_config.h"
#include "core/ladder/plan.h"

namespace holo::interop {

inline constexpr const char* kModellingFile = "modeling_holonomy.py";

// The modelling file that computes what our model does for any plan of ladders, series, slopes, windows and temperatures.
std::string modellingSource();

// config.json for it. Throws Error (unsupported) for length rules, fading ladders, and attention other than softmax.
Json customConfigJson(const config::ModelSpec& model, const ladder::Plan& plan);

// Such a config.json read again. Its key `holonomy` names the scheme and the seed of its coefficients; Throws Error (malformed) where what is
// missing or does not fit, and Contradiction where that scheme gives other ladders or heads than `positions` lists.
HfConfig parseCustomConfig(const Json& json, const std::string& source);

}  // namespace holo::interop
