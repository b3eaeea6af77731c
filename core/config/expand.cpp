#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/origin.h"
#include "core/config/overrides.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/config/trained_scheme.h"

namespace holo::config {

namespace {

// Letters, digits, dot, dash and underscore; everything else becomes one dash. Never empty, never hidden, never longer than 40.
std::string sanitised(const std::string& name)
{
    std::string text;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        if (plain)
            text += c;
        else if (!text.empty() && text.back() != '-')
            text += '-';
        if (text.size() == 40)
            break;
    }
    while (!text.empty() && (text.back() == '-' || text.back() == '.'))
        text.pop_back();
    text.erase(0, std::min(text.find_first_not_of(".-"), text.size()));
    return text.empty() ? "arm" : text;
}

const Json* find(const Arm& arm, const char* key)
{
    const auto it = std::find_if(arm.overrides.begin(), arm.overrides.end(), [&](const auto& entry) { return entry.first == key; });
    return it == arm.overrides.end() ? nullptr : &it->second;
}

// `depth`: arms that may still lie between this one and the one that is trained from the start.
PlannedRun planned(const Project& project, const Arm& arm, std::int64_t seed, std::size_t depth)
{
    PlannedRun run{{project.name, arm.name, seed, arm.scheme, project.model, project.data, project.train, project.eval}, {}, {}};
    std::vector<Problem> problems;
    const std::string field = "arms[" + std::to_string(&arm - project.arms.data()) + "]";
    applyOverrides(run.spec, fieldOverrides(arm), problems, field);
    if (!problems.empty())
        throw Error(ErrorKind::Usage, problems.front().message, {"", problems.front().field, problems.front().found, problems.front().allowed});
    const std::string from = fromOf(arm);
    if (!from.empty()) {
        const auto source = std::find_if(project.arms.begin(), project.arms.end(), [&](const Arm& other) { return other.name == from; });
        if (source == project.arms.end() || depth == 0)
            throw Error::at(ErrorKind::Usage, {"", field + ".from", "\"" + from + "\"", "an arm that does not go on from this one"});
        const PlannedRun before = planned(project, *source, seed, depth - 1);
        run.from = before.id;
        run.spec.scheme = schemeForWeights(arm.scheme, {before.spec.scheme, modelShape(before.spec.model, seed)}, modelShape(run.spec.model, seed));
    }
    run.id = runId(run.spec) + (run.from.empty() ? "" : "-from-" + sha256(run.from).substr(0, 8));
    return run;
}

}  // namespace

std::vector<std::int64_t> seedsOf(const Project& project, const Arm& arm)
{
    const Json* own = find(arm, kArmSeeds);
    std::vector<std::int64_t> seeds = own ? own->get<std::vector<std::int64_t>>() : project.seeds;
    std::sort(seeds.begin(), seeds.end());
    return seeds;
}

std::string fromOf(const Arm& arm)
{
    const Json* from = find(arm, kArmFrom);
    return from ? from->get<std::string>() : std::string();
}

std::vector<std::pair<std::string, Json>> fieldOverrides(const Arm& arm)
{
    auto overrides = arm.overrides;
    std::erase_if(overrides, [](const auto& entry) { return entry.first == kArmSeeds || entry.first == kArmFrom; });
    return overrides;
}

std::vector<PlannedRun> plannedRuns(const Project& project)
{
    std::vector<PlannedRun> runs;
    for (const Arm& arm : project.arms)
        for (const std::int64_t seed : seedsOf(project, arm))
            runs.push_back(planned(project, arm, seed, project.arms.size()));
    return runs;
}

std::vector<RunSpec> expand(const Project& project)
{
    std::vector<RunSpec> specs;
    for (PlannedRun& run : plannedRuns(project))
        specs.push_back(std::move(run.spec));
    return specs;
}

std::string runId(const RunSpec& spec)
{
    // What decides the weights and the curve. Left out: what a finished run can still change without training again.
    Json json = toJson(spec);
    json.erase("project");
    json["train"].erase("checkpoint_every");
    json["train"].erase("keep");
    json["train"].erase("log_every");
    json["eval"] = Json{{"every", spec.eval.every}};
    return sanitised(spec.arm) + "-s" + std::to_string(spec.seed) + "-" + sha256(dumpLine(json)).substr(0, 8);
}

}  // namespace holo::config
