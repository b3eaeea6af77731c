#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/text.h"
#include "core/config/field_visitors.h"

namespace holo::config::detail {

namespace {

std::string shown(const Json& json)
{
    std::string text = dumpLine(json);
    if (text.size() > 120)
        text = text.substr(0, 117) + "…";
    return isUtf8(text) ? text : "a long value";
}

void refuse(const Json& json, const Field& field, const std::string& path, FieldType type, std::vector<Problem>& problems)
{
    const std::string found = shown(json);
    const std::string allowed = allowedText(field, type);
    std::string message = path + " is " + found + "; allowed: " + allowed;
    if (json.is_string() && !field.choices.empty()) {
        const std::vector<std::string> choices(field.choices.begin(), field.choices.end());
        if (const auto nearest = nearestName(json.get<std::string>(), choices))
            message += "; did you mean \"" + *nearest + "\"?";
    }
    if (!message.ends_with('?'))
        message += ".";
    problems.push_back({path, found, allowed, message});
}

bool inRange(double value, const Field& field)
{
    return value <= field.maximum && (field.exclusiveMinimum ? value > field.minimum : value >= field.minimum);
}

// A whole number, also written as 1e3; false where it is none or does not fit.
bool readWhole(const Json& json, std::int64_t& value)
{
    if (json.is_number_unsigned()) {
        const auto n = json.get<std::uint64_t>();
        value = std::int64_t(n);
        return n <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
    }
    if (json.is_number_integer()) {
        value = json.get<std::int64_t>();
        return true;
    }
    if (!json.is_number_float())
        return false;
    const double d = json.get<double>();
    if (!(std::abs(d) < 0x1p63) || d != std::floor(d))
        return false;
    value = std::int64_t(d);
    return true;
}

bool readElement(const Json& json, const Field& field, std::int64_t& value) { return readWhole(json, value) && inRange(double(value), field); }

bool readElement(const Json& json, const Field& field, double& value)
{
    if (!json.is_number())
        return false;
    value = json.get<double>();
    return std::isfinite(value) && inRange(value, field);
}

bool readElement(const Json& json, const Field& field, std::string& value)
{
    if (!json.is_string())
        return false;
    value = json.get<std::string>();
    if (value.find('\0') != std::string::npos)
        return false;
    return field.choices.empty() || std::find(field.choices.begin(), field.choices.end(), value) != field.choices.end();
}

template <class T>
void readOne(const Json& json, const Field& field, const std::string& path, FieldType type, T& member, std::vector<Problem>& problems)
{
    T value{};
    if (readElement(json, field, value))
        member = value;
    else
        refuse(json, field, path, type, problems);
}

template <class T>
void readList(const Json& json, const Field& field, const std::string& path, FieldType type, std::vector<T>& member, std::vector<Problem>& problems)
{
    T only{};
    if (field.single && readElement(json, field, only)) {
        member = {only};
        return;
    }
    if (!json.is_array()) {
        refuse(json, field, path, type, problems);
        return;
    }
    std::vector<T> values;
    for (const Json& element : json) {
        T value{};
        if (!readElement(element, field, value)) {
            refuse(element, field, path + "[" + std::to_string(values.size()) + "]", type, problems);
            return;
        }
        values.push_back(std::move(value));
    }
    member = std::move(values);
}

}  // namespace

void readValue(const Json& json, const Field& field, const std::string& path, bool& member, std::vector<Problem>& problems)
{
    if (json.is_boolean())
        member = json.get<bool>();
    else
        refuse(json, field, path, FieldType::Boolean, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, int& member, std::vector<Problem>& problems)
{
    std::int64_t value = 0;
    if (readElement(json, field, value) && value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max())
        member = int(value);
    else
        refuse(json, field, path, FieldType::Integer, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, std::int64_t& member, std::vector<Problem>& problems)
{
    readOne(json, field, path, FieldType::Integer, member, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, double& member, std::vector<Problem>& problems)
{
    readOne(json, field, path, FieldType::Real, member, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, std::string& member, std::vector<Problem>& problems)
{
    readOne(json, field, path, FieldType::Text, member, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, std::vector<std::string>& member, std::vector<Problem>& problems)
{
    readList(json, field, path, FieldType::TextList, member, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, std::vector<std::int64_t>& member, std::vector<Problem>& problems)
{
    readList(json, field, path, FieldType::IntegerList, member, problems);
}

void readValue(const Json& json, const Field& field, const std::string& path, std::vector<double>& member, std::vector<Problem>& problems)
{
    readList(json, field, path, FieldType::RealList, member, problems);
}

Json writeValue(const Field& field, const std::vector<std::string>& member)
{
    if (field.single && member.size() == 1)
        return member.front();
    return Json(member);
}

Json writeValue(const Field&, double member)
{
    // Whole values without ".0", as a person would write them.
    if (std::abs(member) < 1e15 && member == std::floor(member))
        return std::int64_t(member);
    return number(member);
}

Json writeValue(const Field& field, const std::vector<double>& member)
{
    Json list = Json::array();
    for (const double value : member)
        list.push_back(writeValue(field, value));
    return list;
}

Problem notAnObject(const std::string& path, const Json& found)
{
    const std::string name = path.empty() ? "the document" : path;
    const std::string text = shown(found);
    return {path, text, "an object", name + " is " + text + "; allowed: an object."};
}

void FieldReader::reportUnknown()
{
    for (const auto& [key, value] : m_object.items())
        if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
            m_problems.push_back(unknownKey(m_prefix, key, m_known));
}

}  // namespace holo::config::detail
