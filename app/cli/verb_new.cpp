#include <CLI/CLI.hpp>

#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/origin.h"
#include "core/config/templates.h"
#include "core/config/scheme_json.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

struct NewOptions {
    fs::path folder;
    std::string name = "tiny";
    std::string size;
    std::vector<std::string> sources;
    std::vector<std::string> parameters;
};

Output newProject(const NewOptions& options)
{
    config::Project project = config::projectTemplate(options.name, options.size);
    const fs::path file = options.folder / "project.json";
    std::error_code ec;
    if (fs::exists(file, ec))
        throw Error(ErrorKind::Usage, file.string() + ": there is a project already; allowed: a folder without one.", {file.string(), "DIR", "a project", "a folder without one"});
    const std::string name = fs::weakly_canonical(options.folder, ec).filename().string();
    if (!name.empty())
        project.name = name;
    if (!options.sources.empty()) {
        project.data.source.clear();
        for (const std::string& source : options.sources)
            project.data.source.push_back(fs::absolute(source).lexically_normal().string());
    }
    if (!options.parameters.empty()) {
        std::vector<config::Parameter> parameters;
        for (const std::string& text : options.parameters)
            parameters.push_back(config::parseParameter(text));
        project = config::withParameters(project, parameters);
    }
    const bool isNew = fs::create_directories(options.folder, ec);
    if (ec)
        throw Error(ErrorKind::Resource, options.folder.string() + ": cannot be made (" + ec.message() + ").", {options.folder.string(), "DIR", ec.message(), "a folder that can be written"});
    try {
        config::writeProject(file, project);
    } catch (...) {
        if (isNew)
            fs::remove(options.folder, ec);
        throw;
    }

    Json arms = Json::array();
    std::string text = file.string() + "\n";
    for (const config::Arm& arm : project.arms) {
        const std::string from = config::fromOf(arm);
        const auto seeds = config::seedsOf(project, arm);
        arms.push_back({{"name", arm.name}, {"scheme", config::toJson(arm.scheme)}, {"seeds", seeds}, {"from", from.empty() ? Json() : Json(from)}});
        text += "  " + arm.name + "  " + config::shortForm(arm.scheme) + (from.empty() ? "" : ", goes on from " + from) +
                (seeds.size() == project.seeds.size() ? "" : ", " + std::to_string(seeds.size()) + " of the seeds") + "\n";
    }
    const std::size_t runs = config::expand(project).size();
    text += "  " + std::to_string(runs) + " runs\n";
    for (const std::string& source : project.data.source)
        if (source != "synthetic" && !fs::exists(options.folder / source, ec))
            text += "  " + source + " is still missing in this folder: it holds the text to train on.\n";
    return {{{"format", 1}, {"project", file.string()}, {"arms", std::move(arms)}, {"seeds", project.seeds}, {"runs", runs}}, std::move(text)};
}

std::string sizesText()
{
    std::vector<std::string> texts;
    for (const std::string& name : config::templateNames())
        if (const auto sizes = config::templateSizes(name); sizes.size() > 1)
            texts.push_back(name + " " + join(sizes, "|"));
    return join(texts, "; ");
}

}  // namespace

void addNewVerb(CLI::App& app, Context& context)
{
    const auto options = std::make_shared<NewOptions>();
    CLI::App* verb = addVerb(app, context, "new", "a project to start from", "holonomy new my-text --template text --source essays/", [options] { return newProject(*options); });
    verb->add_option("DIR", options->folder, "folder of the project; made if it is not there")->required();
    verb->add_option("--template", options->name, join(config::templateNames(), ", "))->capture_default_str();
    verb->add_option("--size", options->size, "where a template has more than one: " + sizesText());
    verb->add_option("--source", options->sources, "file or folder with the text or tokens to train on (repeatable)")->allow_extra_args(false);
    verb->add_option("--param", options->parameters, "PATH=VALUE: override one field (repeatable)")->allow_extra_args(false);
}

}  // namespace holo::cli
