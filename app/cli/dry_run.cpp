#include "app/cli/dry_run.h"

#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/config/scheme_json.h"
#include "core/report/estimate.h"

namespace holo::cli {

namespace {

std::string inMiB(const Json& bytes) { return bytes.is_null() ? "–" : formatFixed(bytes.get<double>() / (1 << 20), 1); }

std::string duration(const Json& seconds)
{
    if (seconds.is_null())
        return "not measured";
    const auto whole = std::int64_t(seconds.get<double>());
    const std::string minutes = std::to_string(whole / 60 % 60);
    return std::to_string(whole / 3600) + ":" + (minutes.size() < 2 ? "0" : "") + minutes + " h";
}

}  // namespace

Output dryRun(const std::vector<run::Job>& jobs)
{
    Json document = run::describeJobs(jobs);
    TextTable table({"run", "scheme", "state", "step", "parameters", "memory MiB", "checkpoint MiB", "time"});
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Json& row = document["runs"][i];
        const config::RunSpec& spec = jobs[i].spec;
        row.update(report::estimate(spec, jobs[i].project));
        row["scheme"] = config::toJson(config::resolvedScheme(spec.scheme, config::modelShape(spec.model, spec.seed)));
        row["spec"] = config::toJson(spec);
        table.add({row["run"].get<std::string>(), config::shortForm(spec.scheme), row["state"].get<std::string>(), dumpLine(row["step"]) + "/" + dumpLine(row["steps"]),
                   row["parameters"].is_null() ? "–" : dumpLine(row["parameters"]), inMiB(row["memory_bytes"]), inMiB(row["checkpoint_bytes"]), duration(row["seconds"])});
    }
    return {std::move(document), table.text()};
}

}  // namespace holo::cli
