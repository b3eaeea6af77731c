#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/interop/json_fields.h"
#include "core/ladder/scheme.h"

namespace holo::interop {

// The rotary settings of a config.json, from all places where they may stand: rope_theta or rotary_emb_base, partial_rotary_factor or
// rotary_pct, and rope_scaling or rope_parameters with type or rope_type.
struct HfRope {
    double base = 10000;
    double rotaryPct = 1;
    int rotaryDim = 0;
    ladder::Scheme scheme;
};

// `config` is the whole document. `defaultPct` is the family's documented default. Throws Error as parseHfConfig does.
HfRope readHfRope(JsonFields& config, int headDim, std::int64_t context, double defaultPct, std::vector<std::string>& notes);

}  // namespace holo::interop
