#include <CLI/CLI.hpp>

#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/store/run_index.h"

namespace holo::cli {

namespace {

Output rebuild(const std::filesystem::path& given)
{
    const std::filesystem::path project = given.filename() == "project.json" ? given.parent_path() : given;
    std::error_code ec;
    if (!std::filesystem::is_directory(project, ec))
        throw Error(ErrorKind::Malformed, project.string() + ": there is no such folder; allowed: a project folder.", {project.string(), "PROJECT", "missing", "a project folder"});
    const store::Counts counts = store::rebuildIndex(project);
    const std::filesystem::path file = project / "index.sqlite";
    Json document = {{"format", 1}, {"index", file.string()}, {"runs", counts.runs}, {"attempts", counts.attempts}, {"steps", counts.steps}, {"events", counts.events},
                     {"evals", counts.evals}, {"cells", counts.cells}, {"checkpoints", counts.checkpoints}};
    TextTable table({"rows", "count"});
    for (const char* key : {"runs", "attempts", "steps", "events", "evals", "cells", "checkpoints"})
        table.add({key, dumpLine(document[key])});
    return {std::move(document), table.text()};
}

}  // namespace

void addIndexVerb(CLI::App& app, Context& context)
{
    const auto project = std::make_shared<std::filesystem::path>();
    CLI::App* verb = addVerb(app, context, "index", "rebuild a project's database from its run folders", "holonomy index tiny", [project] { return rebuild(*project); });
    verb->add_option("PROJECT", *project, "project folder")->required();
}

}  // namespace holo::cli
