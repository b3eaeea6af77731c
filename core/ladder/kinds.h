#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ladder/scheme.h"

// The one table of positional schemes and their parameters. It drives validation, reading and writing (JSON and short form) and the
// parameter forms of the window.
namespace holo::ladder {

enum class ParameterType { Number, Integer, Text, List, Matrix, Scheme };

struct ParameterInfo {
    std::string_view key;
    ParameterType type = ParameterType::Number;
    std::string_view fallback = "";  // default as text; empty: see `derived`
    std::string_view derived = "";   // in words, where the default comes from ("the model's context"); empty: none
    double minimum = -std::numeric_limits<double>::infinity();  // of a number, or of each number of a list
    double maximum = std::numeric_limits<double>::infinity();
    bool exclusiveMinimum = false;
    std::vector<std::string_view> choices = {};  // of a text
    std::string_view unit = "";
    std::string_view help = "";
    bool required = false;

    // "a number > 1", "one of A, B": for messages and tooltips.
    std::string allowed() const;
};

struct KindInfo {
    Kind kind;
    std::string_view name;     // "dynamic-ntk"
    std::string_view summary;  // one line
    std::string_view source;
    std::vector<ParameterInfo> parameters;

    const ParameterInfo* find(std::string_view key) const;
    std::vector<std::string> keys() const;
};

// All kinds, in the order in which menus show them.
const std::vector<KindInfo>& kinds();
const KindInfo& kindInfo(Kind kind);
std::string_view kindName(Kind kind);

std::optional<Kind> findKind(std::string_view name);
// Throws Error (usage) naming the nearest kind.
Kind parseKind(std::string_view name);

// Checks one value against its parameter: type, range, choices, finiteness. Throws Error (usage) with the field "KIND.KEY".
void checkParameter(const KindInfo& kind, const std::string& key, const Value& value);

// A value of a parameter as text, as in the short form.
std::string valueText(const Value& value);

}  // namespace holo::ladder
