#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/cli/run_rows.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/config/origin.h"
#include "core/config/project.h"
#include "core/config/scheme_json.h"
#include "core/store/run_index.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

// Runs of the project file that have no folder yet.
void addPlannedRuns(const fs::path& folder, std::vector<model::RunRow>& rows)
{
    std::vector<config::PlannedRun> planned;
    try {
        planned = config::plannedRuns(config::readProject(folder));
    } catch (const Error& e) {
        logWarning("runs", e.what());
        return;
    }
    for (const auto& [spec, id, from] : planned) {
        if (std::any_of(rows.begin(), rows.end(), [&, &id = id](const model::RunRow& row) { return row.id == id; }))
            continue;
        model::RunRow row;
        row.id = id;
        row.arm = spec.arm;
        row.seed = spec.seed;
        row.state = "waiting";
        row.totalSteps = config::totalSteps(spec);
        row.context = spec.model.context;
        row.scheme = config::shortForm(spec.scheme);
        rows.push_back(std::move(row));
    }
}

Output listRuns(const fs::path& project)
{
    const fs::path folder = projectFolder(project);
    store::RunIndex index = store::RunIndex::openMemory(folder);
    index.update();
    std::vector<model::RunRow> rows = index.queries().rows();
    addPlannedRuns(folder, rows);
    Json list = Json::array();
    for (const model::RunRow& row : rows)
        list.push_back(rowJson(row));
    return {{{"format", 1}, {"project", folder.string()}, {"runs", std::move(list)}}, rowTable(rows)};
}

}  // namespace

void addRunsVerb(CLI::App& app, Context& context)
{
    const auto project = std::make_shared<fs::path>();
    CLI::App* verb = addVerb(app, context, "runs", "table of a project's runs, begun or not", "holonomy runs tiny", [project] { return listRuns(*project); });
    verb->add_option("PROJECT", *project, "project folder")->required();
}

}  // namespace holo::cli
