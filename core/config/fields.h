#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

// One field list per struct drives reading, writing, validation, --help and the forms of the window: a struct S offers
//   template <class V> static void fields(S& s, V& v) { v(Field{.key = "layers", …}, s.layers); … }
// and each use is a visitor with operator()(const Field&, T& member). Nested structs are members like any other.
namespace holo::config {

struct Field {
    std::string_view key;
    std::string_view unit = "";
    std::string_view help = "";
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    std::vector<std::string_view> choices = {};  // of a string
    bool exclusiveMinimum = false;
    bool single = false;                               // a list of one may stand without brackets
};

// A problem that the user can mend.
struct Problem {
    std::string field;    // "train.steps"
    std::string found;
    std::string allowed;
    std::string message;  // one sentence
};

}  // namespace holo::config
