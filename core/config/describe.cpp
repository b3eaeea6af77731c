#include "core/config/describe.h"

#include <cmath>

#include "core/base/text.h"
#include "core/config/field_visitors.h"
#include "core/config/specs.h"

namespace holo::config {

std::string_view typeName(FieldType type)
{
    switch (type) {
    case FieldType::Boolean: return "boolean";
    case FieldType::Integer: return "integer";
    case FieldType::Real: return "number";
    case FieldType::Text: return "text";
    case FieldType::TextList: return "list of texts";
    case FieldType::IntegerList: return "list of integers";
    case FieldType::RealList: return "list of numbers";
    }
    return "text";
}

const std::vector<FieldInfo>& describeFields()
{
    static const std::vector<FieldInfo> list = [] {
        std::vector<FieldInfo> fields;
        const auto add = [&](const char* group, auto spec) {
            detail::FieldDescriber describer(group, fields);
            decltype(spec)::fields(spec, describer);
        };
        add("model", ModelSpec{});
        add("data", DataSpec{});
        add("train", TrainSpec{});
        add("eval", EvalSpec{});
        return fields;
    }();
    return list;
}

const FieldInfo* findField(std::string_view path)
{
    for (const FieldInfo& info : describeFields())
        if (info.path == path)
            return &info;
    return nullptr;
}

std::string allowedText(const Field& field, FieldType type)
{
    std::string range;
    const bool whole = type == FieldType::Integer || type == FieldType::IntegerList;
    const bool hasMaximum = std::isfinite(field.maximum);
    if (std::isfinite(field.minimum))
        range = (field.exclusiveMinimum ? " above " : hasMaximum ? " from " : " of at least ") + formatDouble(field.minimum);
    if (hasMaximum)
        range += (field.exclusiveMinimum || range.empty() ? (range.empty() ? " of at most " : " and at most ") : " to ") + formatDouble(field.maximum);
    std::vector<std::string> choices(field.choices.begin(), field.choices.end());
    switch (type) {
    case FieldType::Boolean: return "true or false";
    case FieldType::Integer:
    case FieldType::Real: return (whole ? "a whole number" : "a number") + range;
    case FieldType::Text: return choices.empty() ? "a text" : "one of " + join(choices, ", ");
    case FieldType::TextList:
        if (!choices.empty())
            return "a list out of " + join(choices, ", ");
        return field.single ? "a text or a list of texts" : "a list of texts";
    case FieldType::IntegerList: return "a list of whole numbers, each" + (range.empty() ? std::string(" of any size") : range);
    case FieldType::RealList: return "a list of numbers, each" + (range.empty() ? std::string(" of any size") : range);
    }
    return {};
}

Problem unknownKey(const std::string& prefix, const std::string& key, const std::vector<std::string>& siblings)
{
    const std::string path = prefix + key;
    std::string hint;
    for (const FieldInfo& info : describeFields()) {
        if (info.path.ends_with("." + key)) {
            hint = "did you mean \"" + info.path + "\"?";
            break;
        }
    }
    if (hint.empty()) {
        if (const auto nearest = nearestName(key, siblings))
            hint = "did you mean \"" + prefix + *nearest + "\"?";
        else
            hint = "known are: " + join(siblings, ", ") + ".";
    }
    return {path, "unknown key", join(siblings, ", "), "\"" + path + "\" is not a known key; " + hint};
}

}  // namespace holo::config
