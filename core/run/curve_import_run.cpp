#include "core/run/curve_import_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/interop/curve_import.h"
#include "core/interop/tensorboard.h"
#include "core/run/folder_aside.h"
#include "core/run/run_directory.h"

namespace holo::run {

namespace fs = std::filesystem;

namespace {

bool isEventFile(const fs::path& file) { return file.filename().string().find("tfevents") != std::string::npos; }

// Folders in or below `folder` that hold event files, each a run as TensorBoard has it; by name. Links to folders are not followed.
std::set<fs::path> eventFolders(const fs::path& folder)
{
    std::set<fs::path> found;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec), end; !ec && it != end; it.increment(ec))
        if (isEventFile(it->path()))
            found.insert(it->path().parent_path());
    return found;
}

bool isModelFolder(const fs::path& folder)
{
    std::error_code ec;
    return fs::exists(folder / "config.json", ec) || fs::exists(folder / "model.safetensors", ec) || fs::exists(folder / "model.safetensors.index.json", ec);
}

// Our name of a column, or empty.
std::string columnOf(std::string metric)
{
    static const std::map<std::string, std::string> kColumns = {
        {"loss", "loss"}, {"train_loss", "loss"}, {"val_loss", "val_loss"}, {"eval_loss", "val_loss"}, {"eval/loss", "val_loss"}, {"val/loss", "val_loss"}, {"validation/loss", "val_loss"},
        {"grad_norm", "grad_norm"}, {"lr", "lr"}, {"learning_rate", "lr"}, {"tok_s", "tok_s"}, {"tokens_per_second", "tok_s"}, {"tokens", "tokens"}, {"num_tokens", "tokens"}};
    if (metric.starts_with("train/"))
        metric.erase(0, 6);
    const auto found = kColumns.find(metric);
    return found == kColumns.end() ? std::string() : found->second;
}

// A run's name as the name of a folder.
std::string folderName(const std::string& name)
{
    std::string safe;
    for (const char c : name)
        safe += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ? c : '-';
    while (safe.starts_with('.') || safe.starts_with('-'))
        safe.erase(0, 1);
    return safe.substr(0, 100);
}

interop::ImportedCurves readCurves(const fs::path& source)
{
    std::error_code ec;
    const bool isFolder = fs::is_directory(source, ec);
    if (!isFolder && !isEventFile(source))
        return interop::importCurves(source);
    interop::ImportedCurves curves;
    const auto add = [&](const std::string& run, const interop::TensorBoardFile& file) {
        std::map<std::string, std::map<double, double>> points;
        for (const interop::TensorBoardEvent& event : file.events)
            for (const auto& [tag, value] : event.scalars)
                points[tag][double(event.step)] = value;
        for (const auto& [tag, values] : points)
            curves.curves.push_back({run, tag, {values.begin(), values.end()}});
        for (const std::string& note : file.notes)
            curves.notes.push_back((run.empty() ? "" : run + ": ") + note);
    };
    if (!isFolder)
        add("", interop::readTensorBoard(source));
    else
        for (const fs::path& folder : eventFolders(source)) {
            const std::string name = folder.lexically_relative(source).string();
            add(name == "." ? "" : name, interop::readTensorBoardFolder(folder));
        }
    if (curves.curves.empty())
        throw Error::at(ErrorKind::Malformed, {source.string(), "content", "no scalar", "events with scalars"});
    return curves;
}

struct Run {
    std::map<std::int64_t, Json> rows;
    std::set<std::string> metrics;
};

void add(Run& run, const interop::ImportedCurve& curve, const std::string& source)
{
    const std::string column = columnOf(curve.metric);
    for (const auto& [step, value] : curve.points) {
        if (step < 0 || step != std::floor(step) || step > 1e15)
            throw Error::at(ErrorKind::Malformed, {source, "step of metric \"" + curve.metric + "\"", formatDouble(step), "whole numbers from 0"});
        Json& row = run.rows[std::int64_t(step)];
        if (column.empty())
            row["metrics"][curve.metric] = number(value);
        else if (column == "tokens")
            row[column] = std::int64_t(std::clamp(value, 0.0, 9e15));
        else
            row[column] = number(value);
    }
    run.metrics.insert(curve.metric);
}

void write(const fs::path& folder, const std::string& name, const Run& run, const std::string& source)
{
    FolderAside aside(folder);
    Json events = {{"format", 1}, {"type", "start"}, {"attempt", 1}, {"imported", source}};
    std::string lines = dumpLine(events) + "\n";
    std::int64_t last = 0;
    std::int64_t tokens = 0;
    for (const auto& [step, values] : run.rows) {
        Json row = {{"type", "step"}, {"attempt", 1}, {"step", step}};
        row.update(values);
        lines += dumpLine(row) + "\n";
        last = step;
        tokens = row.value("tokens", tokens);
    }
    writeFileAtomic(aside.folder() / "events.jsonl", lines);
    writeFileAtomic(aside.folder() / "run.json", dumpPretty({{"format", 1}, {"run", folder.filename().string()}, {"arm", name}, {"imported", {{"from", source}}}}));
    RunDirectory(aside.folder()).writeExit({0, std::string(className(0)), "imported from " + source + ", not trained here", last, tokens});
    aside.finish();
}

}  // namespace

bool isCurveSource(const fs::path& source)
{
    std::error_code ec;
    if (fs::is_directory(source, ec))
        return !isModelFolder(source) && !eventFolders(source).empty();
    return source.extension() == ".csv" || isEventFile(source);
}

Json importCurveRuns(const fs::path& source, const fs::path& project, bool dryRun)
{
    std::error_code ec;
    if (!fs::is_regular_file(project / "project.json", ec))
        throw Error::at(ErrorKind::Usage, {project.string(), "DEST", "no project", "a project folder, for curves"});
    const interop::ImportedCurves curves = readCurves(source);
    const std::string file = source.filename().empty() ? source.parent_path().filename().string() : source.filename().string();
    std::map<std::string, Run> runs;
    for (const interop::ImportedCurve& curve : curves.curves)
        add(runs[curve.run.empty() ? fs::path(file).stem().string() : curve.run], curve, source.string());
    Json list = Json::array();
    std::set<std::string> taken;
    for (const auto& [name, run] : runs) {
        const std::string folder = folderName(name);
        if (folder.empty() || !taken.insert(folder).second)
            throw Error::at(ErrorKind::Malformed, {source.string(), "run", "\"" + name.substr(0, 80) + "\"", "names that differ in letters, digits, points, hyphens and underscores"});
        requireFree(project / "runs" / folder);
        list.push_back({{"run", folder}, {"name", name}, {"steps", run.rows.size()}, {"metrics", run.metrics}});
    }
    if (!dryRun)
        for (const auto& [name, run] : runs)
            write(project / "runs" / folderName(name), name, run, file);
    return {{"format", 1}, {"project", project.string()}, {"runs", list}, {"dry_run", dryRun}, {"notes", curves.notes}};
}

}  // namespace holo::run
