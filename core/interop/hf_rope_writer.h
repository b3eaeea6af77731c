#pragma once

#include <cstdint>

#include "core/base/json.h"
#include "core/ladder/plan.h"

namespace holo::interop {

// Lines of a config.json that make transformers (4 and 5 alike) build this ladder: `rope_parameters` and, for readers that know the older
// spelling only, `rope_scaling` + `rope_theta`. `context` is the file's max_position_embeddings; `base` serves ladders without one of their own.
// Standard ladders are written as such, every other one as longrope divisors against the standard ladder, 1/(divisor·base^(2j/d)); a divisor is
// chosen so that the frequency comes back to the last bit wherever a double allows it, else with an error of one unit in the last place.
// Throws Error (unsupported) where a plane does not turn or the length rule needs another context.
Json hfRopeFields(const ladder::Ladder& ladder, double base, std::int64_t context, double rotaryPct);

}  // namespace holo::interop
