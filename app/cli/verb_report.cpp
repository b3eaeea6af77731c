#include <CLI/CLI.hpp>

#include "app/cli/run_rows.h"
#include "app/cli/verbs.h"
#include "core/report/report.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

Output writeReport(const fs::path& project, const fs::path& out)
{
    const fs::path folder = projectFolder(project);
    Json files = Json::array();
    std::string text;
    for (const fs::path& file : report::writeReport(folder, out.empty() ? folder / "report" : out)) {
        files.push_back(file.string());
        text += file.string() + "\n";
    }
    return {{{"format", 1}, {"files", std::move(files)}}, std::move(text)};
}

}  // namespace

void addReportVerb(CLI::App& app, Context& context)
{
    struct Options {
        fs::path project;
        fs::path out;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* verb = addVerb(app, context, "report", "tables, figures and the commands behind them", "holonomy report tiny --out report", [options] { return writeReport(options->project, options->out); });
    verb->add_option("PROJECT", options->project, "project folder")->required();
    verb->add_option("--out", options->out, "folder of the report (default: PROJECT/report)");
}

}  // namespace holo::cli
