#include "core/run/evaluation_digest.h"

namespace holo::run {

namespace fs = std::filesystem;

std::string evaluationId(const std::string& protocol, std::int64_t step) { return protocol + "-step-" + std::to_string(step); }

Json evaluationDigest(const std::string& protocol, const Json& document)
{
    Json digest = Json::object();
    if (protocol == "perplexity") {
        digest["rows"] = document.value("rows", Json::array());
        return digest;
    }
    for (const char* key : {"mean", "chance", "rows"})
        if (document.contains(key))
            digest[key] = document.at(key);
    return digest;
}

Json evaluationsAt(const RunDirectory& run, std::int64_t step)
{
    Json results = Json::object();
    std::error_code ec;
    for (const char* protocol : {"needle", "passkey", "perplexity", "probe"}) {
        const fs::path summary = run.evalsFolder() / evaluationId(protocol, step) / "summary.json";
        if (!fs::exists(summary, ec))
            continue;
        results[protocol] = evaluationDigest(protocol, readJsonFile(summary));
        results[protocol]["eval"] = evaluationId(protocol, step);
    }
    return results;
}

}  // namespace holo::run
