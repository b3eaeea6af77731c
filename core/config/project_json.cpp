#include <algorithm>
#include <set>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/field_visitors.h"
#include "core/config/origin.h"
#include "core/config/overrides.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"

namespace holo::config {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kProjectKeys = {"format", "name", "notes", "model", "data", "train", "eval", "arms", "seeds"};

void refuse(std::vector<Problem>& problems, const std::string& field, const Json& found, const std::string& allowed)
{
    std::string text = dumpLine(found);
    if (text.size() > 120)
        text = "a long value";
    problems.push_back({field, text, allowed, field + " is " + text + "; allowed: " + allowed + "."});
}

void readText(const Json& object, const char* key, std::string& member, std::vector<Problem>& problems)
{
    const auto it = object.find(key);
    if (it == object.end())
        return;
    if (it->is_string())
        member = it->get<std::string>();
    else
        refuse(problems, key, *it, "a text");
}

void checkFormat(const Json& json, const std::string& source)
{
    const auto it = json.find("format");
    if (it == json.end())
        return;
    if (!it->is_number_integer() || *it < 1)
        throw Error::at(ErrorKind::Usage, {source, "format", dumpLine(*it), std::to_string(kProjectFormat)});
    if (*it > kProjectFormat)
        throw Error::at(ErrorKind::Unsupported, {source, "format", dumpLine(*it), "at most " + std::to_string(kProjectFormat) + ", a newer version wrote it"});
}

Arm readArm(const Json& json, const std::string& field, const fs::path& folder, std::vector<Problem>& problems)
{
    Arm arm;
    const auto readScheme = [&](const Json& scheme, const std::string& where) {
        try {
            arm.scheme = schemeFromJson(scheme, where, folder);
        } catch (const Error& e) {
            problems.push_back({e.place().field.empty() ? where : e.place().field, e.place().found, e.place().allowed, e.what()});
        }
    };
    if (json.is_string()) {
        arm.name = json.get<std::string>();
        readScheme(json, field);
        return arm;
    }
    if (!json.is_object()) {
        refuse(problems, field, json, "an object with name and scheme");
        return arm;
    }
    bool hasScheme = false;
    for (const auto& [key, value] : json.items()) {
        if (key == "name") {
            if (value.is_string())
                arm.name = value.get<std::string>();
            else
                refuse(problems, field + ".name", value, "a text");
        } else if (key == "scheme") {
            hasScheme = true;
            readScheme(value, field + ".scheme");
        } else if (key == "seeds") {
            std::vector<std::int64_t> seeds;
            const std::size_t before = problems.size();
            detail::readValue(value, Field{.key = "seeds", .minimum = 0}, field + ".seeds", seeds, problems);
            if (seeds.empty() && problems.size() == before)
                refuse(problems, field + ".seeds", value, "some of the project's seeds");
            if (problems.size() == before)
                arm.overrides.emplace_back(kArmSeeds, seeds);
        } else if (key == "from") {
            if (value.is_string() && !value.get_ref<const std::string&>().empty())
                arm.overrides.emplace_back(kArmFrom, value);
            else
                refuse(problems, field + ".from", value, "the name of another arm");
        } else {
            collectOverrides(key, value, field, arm.overrides, problems);
        }
    }
    if (!hasScheme)
        problems.push_back({field + ".scheme", "", "a positional scheme", field + ".scheme is missing; allowed: a positional scheme such as \"mobius\"."});
    else if (arm.name.empty())
        arm.name = shortForm(arm.scheme);
    return arm;
}

Project readAll(const Json& json, const std::string& source, const fs::path& folder, std::vector<Problem>& problems)
{
    Project project;
    if (!json.is_object()) {
        problems.push_back(detail::notAnObject("", json));
        return project;
    }
    checkFormat(json, source);
    for (const auto& [key, value] : json.items())
        if (std::find(kProjectKeys.begin(), kProjectKeys.end(), key) == kProjectKeys.end())
            problems.push_back(unknownKey("", key, kProjectKeys));
    readText(json, "name", project.name, problems);
    readText(json, "notes", project.notes, problems);
    const auto readGroup = [&](const char* key, auto& spec) {
        if (const auto it = json.find(key); it != json.end())
            detail::readFields(*it, key, spec, problems);
    };
    readGroup("model", project.model);
    readGroup("data", project.data);
    readGroup("train", project.train);
    readGroup("eval", project.eval);
    if (const auto it = json.find("seeds"); it != json.end())
        detail::readValue(*it, Field{.key = "seeds", .minimum = 0}, "seeds", project.seeds, problems);
    if (const auto it = json.find("arms"); it != json.end()) {
        if (!it->is_array())
            refuse(problems, "arms", *it, "a list of arms");
        else
            for (std::size_t i = 0; i < it->size(); ++i)
                project.arms.push_back(readArm((*it)[i], "arms[" + std::to_string(i) + "]", folder, problems));
    }
    return project;
}

[[noreturn]] void fail(const Problem& problem, const std::string& source, const std::vector<Parameter>& parameters)
{
    std::string file = source;
    for (const auto& [path, value] : parameters)
        if (problem.field == path || problem.field.starts_with(path + "[") || problem.field.starts_with(path + "."))
            file = "--param " + path;
    throw Error(ErrorKind::Usage, file + ": " + problem.message, {file, problem.field, problem.found, problem.allowed});
}

Project checked(const Json& json, const std::string& source, const fs::path& folder, const std::vector<Parameter>& parameters)
{
    std::vector<Problem> problems;
    Project project = readAll(json, source, folder, problems);
    if (problems.empty()) {
        if (project.name.empty()) {
            std::error_code ec;
            project.name = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, ec).filename().string();
        }
        problems = validate(project);
    }
    if (!problems.empty())
        fail(problems.front(), source, parameters);
    return project;
}

}  // namespace

Parameter parseParameter(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw Error::at(ErrorKind::Usage, {"", "--param", "\"" + text + "\"", "PATH=VALUE, for instance train.steps=12"});
    const std::string value = text.substr(equals + 1);
    Json json = value;
    try {
        json = parseJson(value, "--param");
    } catch (const Error&) {
        // Words such as bf16 need no quotes.
    }
    return {text.substr(0, equals), std::move(json)};
}

fs::path projectFile(const fs::path& project)
{
    std::error_code ec;
    return fs::is_directory(project, ec) ? project / "project.json" : project;
}

Project readProject(const fs::path& project, const std::vector<Parameter>& parameters)
{
    const fs::path file = projectFile(project);
    Json json = readJsonFile(file);
    for (const auto& [path, value] : parameters)
        applyParameter(json, path, value);
    return checked(json, file.string(), file.parent_path(), parameters);
}

Project projectFromJson(const Json& json, const std::string& source) { return checked(json, source, fs::path(source).parent_path(), {}); }

Project withParameters(const Project& project, const std::vector<Parameter>& parameters)
{
    Json json = toJson(project);
    for (const auto& [path, value] : parameters)
        applyParameter(json, path, value);
    return checked(json, "the project", {}, parameters);
}

Json toJson(const Project& project)
{
    Json json = {{"format", kProjectFormat}, {"name", project.name}, {"notes", project.notes}};
    json["model"] = detail::writeFields(project.model);
    json["data"] = detail::writeFields(project.data);
    json["train"] = detail::writeFields(project.train);
    json["eval"] = detail::writeFields(project.eval);
    Json arms = Json::array();
    for (const Arm& arm : project.arms) {
        Json entry = {{"name", arm.name}};
        const std::string text = shortForm(arm.scheme);
        entry["scheme"] = text.starts_with('{') ? toJson(arm.scheme) : Json(text);
        for (const auto& [path, value] : arm.overrides)
            entry[path] = value;
        arms.push_back(std::move(entry));
    }
    json["arms"] = std::move(arms);
    json["seeds"] = project.seeds;
    return json;
}

void writeProject(const fs::path& file, const Project& project) { writeFileAtomic(file, dumpPretty(toJson(project))); }

Json toJson(const RunSpec& spec)
{
    Json json = {{"format", kProjectFormat}, {"project", spec.project}, {"arm", spec.arm}, {"seed", spec.seed}};
    json["scheme"] = toJson(spec.scheme);
    json["model"] = detail::writeFields(spec.model);
    json["data"] = detail::writeFields(spec.data);
    json["train"] = detail::writeFields(spec.train);
    json["eval"] = detail::writeFields(spec.eval);
    return json;
}

RunSpec runSpecFromJson(const Json& json, const std::string& source)
{
    static const std::vector<std::string> kKeys = {"format", "project", "arm", "seed", "scheme", "model", "data", "train", "eval"};
    std::vector<Problem> problems;
    RunSpec spec;
    if (!json.is_object())
        fail(detail::notAnObject("", json), source, {});
    checkFormat(json, source);
    for (const auto& [key, value] : json.items())
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
            problems.push_back(unknownKey("", key, kKeys));
    readText(json, "project", spec.project, problems);
    readText(json, "arm", spec.arm, problems);
    if (const auto it = json.find("seed"); it != json.end())
        detail::readValue(*it, Field{.key = "seed", .minimum = 0}, "seed", spec.seed, problems);
    if (const auto it = json.find("scheme"); it != json.end())
        spec.scheme = schemeFromJson(*it, "scheme");
    else
        problems.push_back({"scheme", "", "a positional scheme", "scheme is missing; allowed: a positional scheme."});
    const auto readGroup = [&](const char* key, auto& group) {
        if (const auto it = json.find(key); it != json.end())
            detail::readFields(*it, key, group, problems);
    };
    readGroup("model", spec.model);
    readGroup("data", spec.data);
    readGroup("train", spec.train);
    readGroup("eval", spec.eval);
    if (!problems.empty())
        fail(problems.front(), source, {});
    return spec;
}

}  // namespace holo::config
