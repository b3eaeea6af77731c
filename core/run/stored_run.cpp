#include "core/base/error.h"
#include "core/run/run_record.h"

namespace holo::run {

StoredRun readStoredRun(const RunDirectory& run)
{
    const Json json = run.readRun();
    const std::string source = run.runFile().string();
    if (!json.is_object() || !json.contains("spec"))
        throw Error(ErrorKind::Malformed, source + ": has no \"spec\".", {source, "spec", "nothing", "the resolved settings of a run"});
    if (const auto format = json.find("format"); format == json.end() || *format != Json(kFormat))
        throw Error::at(ErrorKind::Unsupported, {source, "format", format == json.end() ? "nothing" : format->dump(), std::to_string(kFormat)});
    StoredRun stored;
    stored.spec = config::runSpecFromJson(json.at("spec"), source);
    if (json.contains("initial"))
        stored.initial = json.at("initial");
    try {
        stored.threads = json.value("threads", 0);
        if (json.contains("data"))
            stored.dataHash = json.at("data").value("hash", "");
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::Malformed, source + ": " + problem.what() + ".", {source, "", "", ""});
    }
    return stored;
}

Json preparedRunJson(const std::string& run, const config::RunSpec& spec, const Json& initial)
{
    Json json = {{"format", kFormat}, {"run", run}, {"project", spec.project}, {"arm", spec.arm}, {"seed", spec.seed}, {"spec", config::toJson(spec)}};
    if (!initial.is_null())
        json["initial"] = initial;
    return json;
}

}  // namespace holo::run
