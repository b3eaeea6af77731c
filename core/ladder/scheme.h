#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A positional scheme as plain data, before it meets a model. Kinds and their parameters are described by one table
// (kinds.h); JSON and the short form "KIND:key=value,…" are read and written by core/config.
namespace holo::ladder {

enum class Kind {
    Standard, Mobius, Periodic, Twisted, Band, Snapped, Nope, Fope, PRope, Clipped, Resonance, Linear, Ntk, DynamicNtk, Yarn,
    LongRope, Llama3, MrRope, Xpos, Alibi, Window, PeriodicRope, Landmark, MobiusAttention, Custom, Hybrid,
};

using Matrix = std::vector<std::vector<double>>;
using Value = std::variant<double, std::string, std::vector<double>, Matrix>;

struct Part;

struct Scheme {
    Kind kind = Kind::Standard;
    std::map<std::string, Value> parameters;  // only what was given; defaults come from the model or the kind's table
    std::vector<Part> parts;                  // Hybrid only
};

// One share of a hybrid. Heads are chosen by share (the first ceil(share·H − 1e−9) heads of every layer that no earlier part took),
// or by explicit lists. The last part without share and lists takes the rest.
struct Part {
    std::string name;  // "special", "rest", or the user's own
    Scheme scheme;
    double share = -1;         // −1: not given
    std::vector<int> layers;   // empty: all
    std::vector<int> heads;    // empty: by share
};

enum class Pairing { HalfSplit, Interleaved };

// What a scheme needs to know of the model.
struct ModelShape {
    int layers = 1;
    int heads = 1;
    int kvHeads = 1;
    int headDim = 64;
    int rotaryDim = 64;         // rotated lanes of a head, even; planes M = rotaryDim/2
    std::int64_t context = 512;  // N, the training context
    double base = 10000;
    Pairing pairing = Pairing::HalfSplit;
    std::uint64_t seed = 0;      // keys FoPE's coefficient stream
};

}  // namespace holo::ladder
