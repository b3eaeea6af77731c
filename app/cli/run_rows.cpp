#include "app/cli/run_rows.h"

#include <cmath>

#include "app/cli/text_table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace holo::cli {

namespace fs = std::filesystem;

fs::path projectFolder(const fs::path& project)
{
    std::error_code ec;
    const fs::path folder = project.filename() == "project.json" ? (project.has_parent_path() ? project.parent_path() : fs::path(".")) : project;
    if (!fs::is_directory(folder, ec))
        throw Error(ErrorKind::Malformed, project.string() + ": there is no such project; allowed: a project folder or its project.json.",
                    {project.string(), "PROJECT", "missing", "a project folder or its project.json"});
    return folder;
}

Json rowJson(const model::RunRow& row)
{
    // A value that is not known yet is null; one that is known and not finite is its name.
    const auto known = [](double value) { return std::isnan(value) ? Json() : number(value); };
    return {{"run", row.id}, {"arm", row.arm}, {"seed", row.seed}, {"state", row.state}, {"attempts", row.attempts}, {"step", row.step}, {"total_steps", row.totalSteps},
            {"tokens", row.tokens}, {"loss", known(row.loss)}, {"val_loss", known(row.valLoss)}, {"needle", known(row.needle)}, {"worst", known(row.worst)},
            {"perplexity", known(row.perplexity)}, {"tok_s", known(row.tokensPerSecond)}, {"active", known(row.activeSeconds)}, {"context", row.context},
            {"checkpoints", row.checkpoints}, {"evals", row.evals}, {"scheme", row.scheme}, {"message", row.message}};
}

std::string rowTable(const std::vector<model::RunRow>& rows)
{
    TextTable table({"run", "state", "step", "loss", "needle", "worst", "perplexity", "tok/s"});
    for (const model::RunRow& row : rows)
        table.add({row.id, row.state, std::to_string(row.step) + (row.totalSteps > 0 ? "/" + std::to_string(row.totalSteps) : ""), shortNumber(row.loss, 4), shortNumber(row.needle, 3),
                   shortNumber(row.worst, 3), shortNumber(row.perplexity, 4), shortNumber(std::round(row.tokensPerSecond), 6)});
    return table.text();
}

}  // namespace holo::cli
