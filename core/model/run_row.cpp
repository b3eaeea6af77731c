#include "core/model/run_row.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_value.h"
#include "core/base/text.h"

namespace holo::model {

namespace {

double numberOr(const Json& object, const char* key)
{
    const auto it = object.find(key);
    try {
        return it == object.end() ? kMissing : toDouble(*it, key);
    } catch (const Error&) {
        return kMissing;
    }
}

std::string keyText(const Json& object)
{
    const auto it = object.find("key");
    if (it == object.end())
        return {};
    return it->is_string() ? it->get<std::string>() : dumpLine(*it);
}

}  // namespace

std::vector<TrialRow> readTrials(const std::string& file)
{
    std::vector<TrialRow> rows;
    for (const std::string& line : split(readFile(file), '\n')) {
        const Json object = Json::parse(line, nullptr, false);
        if (!object.is_object())
            continue;
        TrialRow row;
        row.length = valueOr<std::int64_t>(object, "length", 0);
        row.depth = numberOr(object, "depth");
        row.depthReal = numberOr(object, "depth_real");
        row.trial = valueOr<int>(object, "trial", 0);
        row.promptHash = valueOr<std::string>(object, "prompt_hash", "");
        row.promptTokens = valueOr<std::int64_t>(object, "prompt_tokens", 0);
        row.needleIndex = valueOr<std::int64_t>(object, "needle_index", 0);
        row.distance = valueOr<std::int64_t>(object, "distance", 0);
        row.key = keyText(object);
        row.exact = valueOr<bool>(object, "exact", false);
        row.nll = numberOr(object, "nll");
        row.rank = numberOr(object, "rank");
        row.prompt = valueOr<std::vector<std::int64_t>>(object, "prompt", {});
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace holo::model
