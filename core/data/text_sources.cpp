#include "core/data/text_sources.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/utf8_stream.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

bool isJsonLines(const fs::path& file) { return file.extension() == ".jsonl" || file.extension() == ".ndjson"; }

bool isInside(const fs::path& file, const fs::path& folder)
{
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return end == folder.end();
}

void addFolder(const fs::path& folder, TextSources& sources)
{
    std::error_code ec;
    const fs::path root = fs::canonical(folder, ec);
    std::vector<TextSource> found;
    fs::recursive_directory_iterator it(root, ec);
    if (ec)
        throw Error(ErrorKind::Malformed, folder.string() + ": the folder cannot be read (" + ec.message() + ").", {folder.string(), "", ec.message(), "a readable folder"});
    for (; it != fs::recursive_directory_iterator(); it.increment(ec)) {
        const std::string name = it->path().lexically_relative(root).string();
        if (it->is_symlink(ec)) {
            const fs::path target = fs::canonical(it->path(), ec);
            if (ec || !isInside(target, root)) {
                sources.notes.push_back(name + " was left out: a link that leaves the folder");
                continue;
            }
            if (!fs::is_regular_file(target, ec)) {
                sources.notes.push_back(name + " was left out: a link to a folder");
                continue;
            }
        } else if (it->is_directory(ec)) {
            continue;
        } else if (!it->is_regular_file(ec)) {
            sources.notes.push_back(name + " was left out: not a regular file");
            continue;
        }
        found.push_back({it->path(), name, isJsonLines(it->path())});
    }
    if (ec)
        throw Error(ErrorKind::Malformed, folder.string() + ": the folder cannot be read (" + ec.message() + ").", {folder.string(), "", ec.message(), "a readable folder"});
    std::sort(found.begin(), found.end(), [](const TextSource& a, const TextSource& b) { return a.name < b.name; });
    const std::size_t before = sources.files.size();
    for (TextSource& source : found) {
        if (looksBinary(InputFile(source.file)))
            sources.notes.push_back(source.name + " was left out: a binary file");
        else
            sources.files.push_back(std::move(source));
    }
    if (sources.files.size() == before)
        throw Error(ErrorKind::Malformed, folder.string() + ": the folder holds no file of text" + (found.empty() ? "." : ", only binary ones."),
                    {folder.string(), "files of text", "none", "at least one"});
}

}  // namespace

TextSources listTextSources(const std::vector<fs::path>& paths)
{
    TextSources sources;
    for (const fs::path& path : paths) {
        std::error_code ec;
        if (fs::is_directory(path, ec)) {
            addFolder(path, sources);
        } else {
            InputFile exists(path);
            sources.files.push_back({path, path.string(), isJsonLines(path)});
        }
    }
    if (sources.files.empty())
        throw Error(ErrorKind::Usage, "No source of text was named.", {"", "sources", "none", "files or folders"});
    return sources;
}

}  // namespace holo::data
