#include "core/config/scheme_json.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ladder/kinds.h"

namespace holo::config {

namespace fs = std::filesystem;

namespace {

using ladder::Kind;
using ladder::KindInfo;
using ladder::ParameterInfo;
using ladder::ParameterType;
using ladder::Part;
using ladder::Scheme;

constexpr double kDefaultShare = 0.25;
constexpr double kFopeGain = 0.3;

[[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& allowed)
{
    throw Error::at(ErrorKind::Usage, {"", field, found, allowed});
}

[[noreturn]] void refuseKey(const std::string& field, const std::string& key, const std::vector<std::string>& known)
{
    throw Error(ErrorKind::Usage, field + ": \"" + key + "\" is not a known key; " + suggestion(key, known), {"", field + "." + key, "unknown key", join(known, ", ")});
}

std::string fieldOf(const std::string& field, std::string_view key) { return field.empty() ? std::string(key) : field + "." + std::string(key); }

// Splits at `separator` outside brackets and braces.
std::vector<std::string> splitOutside(const std::string& text, char separator)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        if (c == '[' || c == '{')
            ++depth;
        else if (c == ']' || c == '}')
            --depth;
        if (c == separator && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::vector<double> numbersFromJson(const Json& json, const std::string& field)
{
    if (!json.is_array())
        refuse(field, dumpLine(json), "a list of numbers");
    std::vector<double> values;
    for (const Json& element : json) {
        if (!element.is_number())
            refuse(field, dumpLine(element), "a list of numbers");
        values.push_back(element.get<double>());
    }
    return values;
}

ladder::Value valueFromJson(const ParameterInfo& info, const Json& json, const std::string& field, const fs::path& folder)
{
    if (json.is_string()) {
        const std::string text = json.get<std::string>();
        const bool isNumeric = info.type != ParameterType::Text && info.type != ParameterType::Scheme;
        if (!isNumeric)
            return text;
        if (text.starts_with('@'))
            return valueFromJson(info, readJsonFile(folder / text.substr(1)), field, folder);
        refuse(field, dumpLine(json), info.allowed());
    }
    if (json.is_number())
        return json.get<double>();
    if (info.type == ParameterType::Matrix) {
        ladder::Matrix matrix;
        if (!json.is_array())
            refuse(field, dumpLine(json), info.allowed());
        for (const Json& row : json)
            matrix.push_back(numbersFromJson(row, field));
        return matrix;
    }
    if (info.type == ParameterType::List)
        return numbersFromJson(json, field);
    refuse(field, dumpLine(json), info.allowed());
}

// A value of the short form: lists are JSON, everything else is a bare word or number.
Json valueFromText(const ParameterInfo& info, const std::string& text, const std::string& field)
{
    if (info.type == ParameterType::Text || info.type == ParameterType::Scheme || text.starts_with('@'))
        return text;
    if (text.starts_with('[')) {
        try {
            return parseJson(text, field);
        } catch (const Error&) {
            refuse(field, text, info.allowed());
        }
    }
    if (const auto number = parseDouble(text))
        return *number;
    return text;
}

std::vector<int> indicesFromJson(const Json& json, const std::string& field)
{
    std::vector<int> indices;
    if (!json.is_array())
        refuse(field, dumpLine(json), "a list of whole numbers of at least 0");
    for (const Json& element : json) {
        if (!element.is_number_integer() || element < 0 || element > 1'000'000)
            refuse(field, dumpLine(element), "a list of whole numbers of at least 0");
        indices.push_back(element.get<int>());
    }
    return indices;
}

double shareFromJson(const Json& json, const std::string& field)
{
    if (!json.is_number() || !(json.get<double>() >= 0) || !(json.get<double>() <= 1))
        refuse(field, dumpLine(json), "a number from 0 to 1");
    return json.get<double>();
}

Part partFromJson(const Json& json, const std::string& field, const fs::path& folder)
{
    static const std::vector<std::string> kKeys = {"name", "scheme", "share", "layers", "heads"};
    if (!json.is_object())
        refuse(field, dumpLine(json), "an object with name and scheme");
    Part part;
    bool hasScheme = false;
    for (const auto& [key, value] : json.items()) {
        const std::string at = fieldOf(field, key);
        if (key == "name") {
            if (!value.is_string())
                refuse(at, dumpLine(value), "a text");
            part.name = value.get<std::string>();
        } else if (key == "scheme") {
            part.scheme = schemeFromJson(value, at, folder);
            hasScheme = true;
        } else if (key == "share") {
            part.share = shareFromJson(value, at);
        } else if (key == "layers") {
            part.layers = indicesFromJson(value, at);
        } else if (key == "heads") {
            part.heads = indicesFromJson(value, at);
        } else {
            refuseKey(field, key, kKeys);
        }
    }
    if (!hasScheme)
        refuse(fieldOf(field, "scheme"), "", "a positional scheme");
    return part;
}

void hybridFromJson(const Json& json, const std::string& field, const fs::path& folder, Scheme& scheme)
{
    static const std::vector<std::string> kKeys = {"kind", "share", "special", "rest", "parts"};
    if (const auto parts = json.find("parts"); parts != json.end()) {
        if (json.size() != 2)
            refuse(field.empty() ? "hybrid" : field, "parts beside other keys", "either parts, or share, special and rest");
        if (!parts->is_array() || parts->empty())
            refuse(fieldOf(field, "parts"), dumpLine(*parts), "a list of parts");
        for (std::size_t i = 0; i < parts->size(); ++i)
            scheme.parts.push_back(partFromJson((*parts)[i], fieldOf(field, "parts[" + std::to_string(i) + "]"), folder));
        return;
    }
    Part special{"special", {Kind::Mobius, {}, {}}, kDefaultShare, {}, {}};
    Part rest{"rest", {}, -1, {}, {}};
    for (const auto& [key, value] : json.items()) {
        if (key == "share")
            special.share = shareFromJson(value, fieldOf(field, key));
        else if (key == "special")
            special.scheme = schemeFromJson(value, fieldOf(field, key), folder);
        else if (key == "rest")
            rest.scheme = schemeFromJson(value, fieldOf(field, key), folder);
        else if (key != "kind")
            refuseKey("hybrid", key, {kKeys.begin() + 1, kKeys.end()});
    }
    scheme.parts = {std::move(special), std::move(rest)};
}

Scheme fromShortForm(const std::string& text, const std::string& field, const fs::path& folder)
{
    const auto colon = text.find(':');
    Scheme scheme;
    scheme.kind = ladder::parseKind(trimmed(std::string_view(text).substr(0, colon)));
    const KindInfo& info = ladder::kindInfo(scheme.kind);
    Json object = Json::object();
    if (colon != std::string::npos) {
        for (const std::string& item : splitOutside(text.substr(colon + 1), ',')) {
            const auto equals = item.find('=');
            if (equals == std::string::npos)
                refuse(fieldOf(field, info.name), "\"" + item + "\"", "KEY=VALUE with one of " + join(info.keys(), ", "));
            const std::string key(trimmed(std::string_view(item).substr(0, equals)));
            const std::string value(trimmed(std::string_view(item).substr(equals + 1)));
            const ParameterInfo* parameter = info.find(key);
            if (!parameter)
                refuseKey(std::string(info.name), key, info.keys());
            if (object.contains(key))
                refuse(fieldOf(field, key), "there twice", "once");
            object[key] = valueFromText(*parameter, value, fieldOf(field, key));
        }
    }
    object["kind"] = info.name;
    return schemeFromJson(object, field, folder);
}

Json valueToJson(const ladder::Value& value)
{
    const auto plain = [](double v) -> Json {
        if (std::abs(v) < 1e15 && v == std::floor(v))
            return std::int64_t(v);
        return number(v);
    };
    const auto list = [&](const std::vector<double>& values) {
        Json json = Json::array();
        for (const double v : values)
            json.push_back(plain(v));
        return json;
    };
    if (const double* v = std::get_if<double>(&value))
        return plain(*v);
    if (const std::string* text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* values = std::get_if<std::vector<double>>(&value))
        return list(*values);
    Json rows = Json::array();
    for (const auto& row : std::get<ladder::Matrix>(value))
        rows.push_back(list(row));
    return rows;
}

// The two-part form that share, special and rest can say.
bool isSimpleHybrid(const Scheme& scheme)
{
    if (scheme.parts.size() != 2)
        return false;
    const Part& special = scheme.parts[0];
    const Part& rest = scheme.parts[1];
    const bool byShare = special.share >= 0 && special.layers.empty() && special.heads.empty();
    return byShare && rest.share < 0 && rest.layers.empty() && rest.heads.empty() && special.name == "special" && rest.name == "rest";
}

bool isPlainStandard(const Scheme& scheme) { return scheme.kind == Kind::Standard && scheme.parameters.empty(); }

}  // namespace

Scheme schemeFromJson(const Json& json, const std::string& field, const fs::path& folder)
{
    if (json.is_string())
        return parseScheme(json.get<std::string>(), folder);
    const std::string name = field.empty() ? "the scheme" : field;
    if (!json.is_object())
        refuse(name, dumpLine(json), "a short form such as \"mobius:context=512\" or an object with kind");
    const auto kind = json.find("kind");
    if (kind == json.end() || !kind->is_string())
        refuse(fieldOf(field, "kind"), kind == json.end() ? "" : dumpLine(*kind), "the name of a kind");
    Scheme scheme;
    scheme.kind = ladder::parseKind(kind->get<std::string>());
    if (scheme.kind == Kind::Hybrid) {
        hybridFromJson(json, field, folder, scheme);
        return scheme;
    }
    const KindInfo& info = ladder::kindInfo(scheme.kind);
    for (const auto& [key, value] : json.items()) {
        if (key == "kind")
            continue;
        const ParameterInfo* parameter = info.find(key);
        if (!parameter)
            refuseKey(std::string(info.name), key, info.keys());
        scheme.parameters[key] = valueFromJson(*parameter, value, fieldOf(field, key), folder);
        ladder::checkParameter(info, key, scheme.parameters[key]);
    }
    return scheme;
}

Scheme parseScheme(const std::string& text, const fs::path& folder)
{
    const std::string trimmedText(trimmed(text));
    if (trimmedText.starts_with('{')) {
        Json json;
        try {
            json = parseJson(trimmedText, "the scheme");
        } catch (const Error& e) {
            throw Error(ErrorKind::Usage, e.what(), e.place());
        }
        return schemeFromJson(json, "", folder);
    }
    const bool isKind = ladder::findKind(trimmed(std::string_view(trimmedText).substr(0, trimmedText.find(':')))).has_value();
    std::error_code ec;
    if (!isKind && !trimmedText.empty() && (trimmedText.ends_with(".json") || fs::is_regular_file(folder / trimmedText, ec))) {
        const fs::path file = folder / trimmedText;
        const Json json = readJsonFile(file);
        return schemeFromJson(json, "", file.parent_path());
    }
    return fromShortForm(trimmedText, "", folder);
}

Json toJson(const Scheme& scheme)
{
    Json json = {{"kind", ladder::kindName(scheme.kind)}};
    for (const auto& [key, value] : scheme.parameters)
        json[key] = valueToJson(value);
    if (scheme.kind != Kind::Hybrid)
        return json;
    if (isSimpleHybrid(scheme)) {
        json["share"] = valueToJson(scheme.parts[0].share);
        json["special"] = toJson(scheme.parts[0].scheme);
        json["rest"] = toJson(scheme.parts[1].scheme);
        return json;
    }
    Json parts = Json::array();
    for (const Part& part : scheme.parts) {
        Json entry = {{"name", part.name}, {"scheme", toJson(part.scheme)}};
        if (part.share >= 0)
            entry["share"] = valueToJson(part.share);
        if (!part.layers.empty())
            entry["layers"] = part.layers;
        if (!part.heads.empty())
            entry["heads"] = part.heads;
        parts.push_back(std::move(entry));
    }
    json["parts"] = std::move(parts);
    return json;
}

Scheme resolvedScheme(const Scheme& scheme, const ladder::ModelShape& shape)
{
    Scheme full = scheme;
    for (Part& part : full.parts)
        part.scheme = resolvedScheme(part.scheme, shape);
    if (scheme.kind == Kind::Hybrid)
        return full;
    for (const ParameterInfo& parameter : ladder::kindInfo(scheme.kind).parameters) {
        const std::string key(parameter.key);
        if (full.parameters.contains(key))
            continue;
        if (key == "gain" && !full.parameters.contains("std"))
            full.parameters[key] = kFopeGain;
        else if (const auto value = parseDouble(parameter.fallback))
            full.parameters[key] = *value;
        else if (!parameter.fallback.empty())
            full.parameters[key] = std::string(parameter.fallback);
        else if (key == "base")
            full.parameters[key] = shape.base;
        else if (key == "context" || (key == "original" && parameter.derived == "the model's context"))
            full.parameters[key] = double(shape.context);
        else if (key == "factor" && full.parameters.contains("original"))
            full.parameters[key] = std::max(1.0, double(shape.context) / std::get<double>(full.parameters.at("original")));
    }
    return full;
}

std::string shortForm(const Scheme& scheme)
{
    std::vector<std::string> items;
    bool possible = true;
    const auto add = [&](const std::string& key, const std::string& value) {
        possible = possible && value.find_first_of(",{}") == std::string::npos;
        items.push_back(key + "=" + value);
    };
    for (const auto& [key, value] : scheme.parameters) {
        const bool isScalar = std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value);
        possible = possible && isScalar;
        if (isScalar)
            add(key, ladder::valueText(value));
    }
    if (scheme.kind == Kind::Hybrid) {
        if (!isSimpleHybrid(scheme))
            return dumpLine(toJson(scheme));
        add("share", formatDouble(scheme.parts[0].share));
        add("special", shortForm(scheme.parts[0].scheme));
        if (!isPlainStandard(scheme.parts[1].scheme))
            add("rest", shortForm(scheme.parts[1].scheme));
    }
    if (!possible)
        return dumpLine(toJson(scheme));
    const std::string name(ladder::kindName(scheme.kind));
    return items.empty() ? name : name + ":" + join(items, ",");
}

}  // namespace holo::config
