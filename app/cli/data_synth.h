#pragma once

#include "app/cli/context.h"

namespace CLI {
class App;
}

namespace holo::cli {

// `data synth`: the synthetic corpus as token shards.
void addDataSynth(CLI::App& data, Context& context);

}  // namespace holo::cli
