#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/overrides.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"

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

}  // namespace

std::vector<RunSpec> expand(const Project& project)
{
    std::vector<std::int64_t> seeds = project.seeds;
    std::sort(seeds.begin(), seeds.end());
    std::vector<RunSpec> runs;
    for (std::size_t i = 0; i < project.arms.size(); ++i) {
        const Arm& arm = project.arms[i];
        RunSpec spec{project.name, arm.name, 0, arm.scheme, project.model, project.data, project.train, project.eval};
        std::vector<Problem> problems;
        applyOverrides(spec, arm.overrides, problems, "arms[" + std::to_string(i) + "]");
        if (!problems.empty())
            throw Error(ErrorKind::Usage, problems.front().message, {"", problems.front().field, problems.front().found, problems.front().allowed});
        for (const std::int64_t seed : seeds) {
            spec.seed = seed;
            runs.push_back(spec);
        }
    }
    return runs;
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
