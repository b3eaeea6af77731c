#include "core/interop/json_fields.h"

#include <cmath>

#include "core/base/text.h"

namespace holo::interop {

namespace {

std::string shown(const Json& value)
{
    const std::string text = dumpLine(value);
    return text.size() > 120 ? text.substr(0, 120) + "…" : text;
}

}  // namespace

Contradiction::Contradiction(const std::string& source, const std::string& field, const std::string& value, const std::string& otherField, const std::string& otherValue, const std::string& allowed)
    : Error(ErrorKind::Malformed, source + ": " + field + " is " + value + " and " + otherField + " is " + otherValue + "; allowed: " + allowed + ".",
            {source, field + ", " + otherField, value + ", " + otherValue, allowed})
{
}

JsonFields::JsonFields(const Json& object, std::string source, std::string path)
    : m_object(&object)
    , m_source(std::move(source))
    , m_path(std::move(path))
{
    if (!object.is_object())
        throw Error::at(ErrorKind::Malformed, {m_source, m_path.empty() ? "the document" : m_path, shown(object), "an object"});
}

void JsonFields::fail(const std::string& key, const std::string& found, const std::string& allowed) const
{
    throw Error::at(ErrorKind::Malformed, {m_source, fieldName(key), found, allowed});
}

const Json* JsonFields::raw(const std::string& key)
{
    m_known.insert(key);
    const auto it = m_object->find(key);
    return it == m_object->end() || it->is_null() ? nullptr : &*it;
}

bool JsonFields::has(const std::string& key) const
{
    const auto it = m_object->find(key);
    return it != m_object->end() && !it->is_null();
}

std::optional<std::int64_t> JsonFields::integer(const std::string& key, std::int64_t least, std::int64_t most)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    const std::string allowed = "a whole number from " + std::to_string(least) + (most < std::numeric_limits<std::int64_t>::max() ? " to " + std::to_string(most) : "");
    if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t(std::numeric_limits<std::int64_t>::max())))
        fail(key, shown(*value), allowed);
    const auto number = value->get<std::int64_t>();
    if (number < least || number > most)
        fail(key, shown(*value), allowed);
    return number;
}

std::int64_t JsonFields::requiredInteger(const std::string& key, std::int64_t least, std::int64_t most)
{
    const auto value = integer(key, least, most);
    if (!value)
        fail(key, "missing", "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return *value;
}

std::optional<double> JsonFields::number(const std::string& key, double least, double most, bool exclusive)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(exclusive ? number > least : number >= least) || !(number <= most))
        fail(key, shown(*value), (exclusive ? "a number above " : "a number from ") + formatDouble(least) + (most < std::numeric_limits<double>::max() ? " to " + formatDouble(most) : ""));
    return number;
}

std::optional<bool> JsonFields::flag(const std::string& key)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    if (!value->is_boolean())
        fail(key, shown(*value), "true or false");
    return value->get<bool>();
}

std::optional<std::string> JsonFields::text(const std::string& key)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    if (!value->is_string())
        fail(key, shown(*value), "a text");
    return value->get<std::string>();
}

std::optional<std::vector<double>> JsonFields::numbers(const std::string& key)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    if (!value->is_array())
        fail(key, shown(*value), "a list of numbers");
    std::vector<double> list;
    for (const Json& entry : *value) {
        if (!entry.is_number() || !(entry.get<double>() > 0))
            fail(key, "a list with " + shown(entry) + " in it", "numbers above 0");
        list.push_back(entry.get<double>());
    }
    return list;
}

std::optional<JsonFields> JsonFields::object(const std::string& key)
{
    const Json* value = raw(key);
    if (!value)
        return std::nullopt;
    return JsonFields(*value, m_source, fieldName(key));
}

void JsonFields::ignore(const std::vector<std::string>& keys) { m_known.insert(keys.begin(), keys.end()); }

std::vector<std::string> JsonFields::unknownKeys() const
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : m_object->items())
        if (!m_known.contains(key))
            keys.push_back(key);
    return keys;
}

}  // namespace holo::interop
