#include "core/run/evaluation_digest.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

// Mean score of the cells that ran at each length, in the document's order.
Json scoreByLength(const Json& cells)
{
    Json rows = Json::array();
    for (const Json& cell : cells) {
        if (!cell.contains("length") || !cell.contains("exact") || cell.at("exact").is_null())
            continue;
        if (rows.empty() || rows.back().at("length") != cell.at("length"))
            rows.push_back({{"length", cell.at("length")}, {"cells", 0}, {"exact", 0.0}, {"outside_training", cell.value("outside_training", false)}});
        Json& row = rows.back();
        const double cells = row.at("cells").get<double>();
        row["exact"] = number((toDouble(row.at("exact"), "exact") * cells + toDouble(cell.at("exact"), "exact")) / (cells + 1));
        row["cells"] = std::int64_t(cells) + 1;
    }
    return rows;
}

}  // namespace

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
    if (document.contains("cells"))
        digest["by_length"] = scoreByLength(document.at("cells"));
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
