#include "core/config/overrides.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/describe.h"
#include "core/config/field_visitors.h"

namespace holo::config {

namespace {

const std::vector<std::string> kGroups = {"model", "data", "train", "eval"};

bool isGroup(const std::string& path)
{
    return std::any_of(describeFields().begin(), describeFields().end(), [&](const FieldInfo& info) { return info.path.starts_with(path + "."); });
}

std::vector<std::string> siblingsOf(const std::string& path)
{
    const auto dot = path.rfind('.');
    const std::string prefix = dot == std::string::npos ? std::string() : path.substr(0, dot + 1);
    std::vector<std::string> siblings;
    for (const FieldInfo& info : describeFields()) {
        if (!info.path.starts_with(prefix))
            continue;
        const std::string rest = info.path.substr(prefix.size());
        const std::string key = rest.substr(0, rest.find('.'));
        if (siblings.empty() || siblings.back() != key)
            siblings.push_back(key);
    }
    return siblings;
}

Problem unknownPath(const std::string& path, const std::vector<std::string>& topLevel)
{
    // A slip in the first part of a path ("trian.steps") is nearest to a whole path, one in the last part to its siblings.
    if (isGroup(path)) {
        const std::vector<std::string> fields = siblingsOf(path + ".");
        return {path, "a single value", "one of its fields", "\"" + path + "\" is a group of fields, not one value; name one of them, such as " + path + "." + fields.front() + ", or give an object."};
    }
    const auto dot = path.rfind('.');
    const std::string prefix = dot == std::string::npos ? std::string() : path.substr(0, dot + 1);
    std::vector<std::string> siblings = prefix.empty() ? topLevel : siblingsOf(path);
    if (!siblings.empty())
        return unknownKey(prefix, path.substr(prefix.size()), siblings);
    std::vector<std::string> paths;
    for (const FieldInfo& info : describeFields())
        paths.push_back(info.path);
    const auto nearest = nearestName(path, paths);
    const std::string hint = nearest ? "did you mean \"" + *nearest + "\"?" : "known are fields of " + join(topLevel, ", ") + ".";
    return {path, "unknown key", nearest.value_or(join(topLevel, ", ")), "\"" + path + "\" is not a known key; " + hint};
}

void flatten(const std::string& path, const Json& value, std::vector<std::pair<std::string, Json>>& leaves)
{
    if (value.is_object() && isGroup(path)) {
        for (const auto& [key, inner] : value.items())
            flatten(path + "." + key, inner, leaves);
        return;
    }
    leaves.emplace_back(path, value);
}

Json nested(const std::string& path, const Json& value)
{
    Json json = value;
    const auto parts = split(path, '.');
    for (std::size_t i = parts.size(); i-- > 1;)
        json = Json{{parts[i], json}};
    return json;
}

void erasePath(Json& object, const std::string& path)
{
    if (!object.is_object())
        return;
    object.erase(path);
    const auto dot = path.find('.');
    if (dot == std::string::npos)
        return;
    if (const auto it = object.find(path.substr(0, dot)); it != object.end())
        erasePath(*it, path.substr(dot + 1));
}

}  // namespace

void collectOverrides(const std::string& key, const Json& value, const std::string& armField, std::vector<std::pair<std::string, Json>>& overrides,
                      std::vector<Problem>& problems)
{
    std::vector<std::pair<std::string, Json>> leaves;
    flatten(key, value, leaves);
    for (auto& [path, leaf] : leaves) {
        if (!findField(path)) {
            Problem problem = unknownPath(path, {"name", "scheme", "seeds", "from", "model", "data", "train", "eval"});
            problem.field = armField + "." + problem.field;
            problem.message = armField + ": " + problem.message;
            problems.push_back(std::move(problem));
            continue;
        }
        RunSpec scratch;
        const std::size_t before = problems.size();
        applyOverrides(scratch, {{path, leaf}}, problems, armField);
        if (problems.size() == before)
            overrides.emplace_back(std::move(path), std::move(leaf));
    }
}

void applyParameter(Json& project, const std::string& path, const Json& value)
{
    static const std::vector<std::string> kWhole = {"name", "notes", "arms", "seeds"};
    if (!project.is_object())
        return;  // the reader says so
    if (std::find(kWhole.begin(), kWhole.end(), path) != kWhole.end()) {
        project[path] = value;
        if (const auto arms = project.find("arms"); path == "seeds" && arms != project.end() && arms->is_array())
            for (Json& arm : *arms)
                erasePath(arm, path);
        return;
    }
    std::vector<std::pair<std::string, Json>> leaves;
    flatten(path, value, leaves);
    for (const auto& [leafPath, leaf] : leaves) {
        if (!findField(leafPath)) {
            const Problem problem = unknownPath(leafPath, {"name", "notes", "model", "data", "train", "eval", "arms", "seeds"});
            throw Error(ErrorKind::Usage, "--param: " + problem.message, {"--param", problem.field, problem.found, problem.allowed});
        }
        Json* place = &project;
        for (const std::string& part : split(leafPath, '.')) {
            if (!place->is_object() && !place->is_null())
                *place = Json::object();
            place = &(*place)[part];
        }
        *place = leaf;
        if (const auto arms = project.find("arms"); arms != project.end() && arms->is_array())
            for (Json& arm : *arms)
                erasePath(arm, leafPath);
    }
}

void applyOverrides(RunSpec& spec, const std::vector<std::pair<std::string, Json>>& overrides, std::vector<Problem>& problems,
                    const std::string& armField)
{
    for (const auto& [path, value] : overrides) {
        const std::string group = path.substr(0, path.find('.'));
        const Json patch = nested(path, value);
        const std::string field = armField.empty() ? group : armField + "." + group;
        if (group == "model")
            detail::readFields(patch, field, spec.model, problems);
        else if (group == "data")
            detail::readFields(patch, field, spec.data, problems);
        else if (group == "train")
            detail::readFields(patch, field, spec.train, problems);
        else if (group == "eval")
            detail::readFields(patch, field, spec.eval, problems);
        else
            problems.push_back(unknownPath(path, kGroups));
    }
}

}  // namespace holo::config
