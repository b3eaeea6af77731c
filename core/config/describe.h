#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/fields.h"

namespace holo::config {

enum class FieldType { Boolean, Integer, Real, Text, TextList, IntegerList, RealList };
std::string_view typeName(FieldType type);  // "boolean", "integer", "number", "text", "list of texts", …

// What a form, a --help page or a refusal says of one field of a project.
struct FieldInfo {
    std::string path;  // "train.steps"
    FieldType type = FieldType::Text;
    Field field;       // key, unit, range, choices, help
    Json defaultValue;
};

// Every field below model, data, train and eval, in the order in which files hold them.
const std::vector<FieldInfo>& describeFields();
const FieldInfo* findField(std::string_view path);  // nullptr: no such field

// "a whole number from 1 to 512", "one of neox, llama", …
std::string allowedText(const Field& field, FieldType type);

// The sentence for a key that does not exist: the same key elsewhere, the nearest of `siblings`, or all of them.
Problem unknownKey(const std::string& prefix, const std::string& key, const std::vector<std::string>& siblings);

}  // namespace holo::config
