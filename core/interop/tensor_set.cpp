#include "core/interop/tensor_set.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/interop/pickle.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr const char* kSingleName = "model.safetensors";

bool isPlainName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos && name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
}

bool liesInFolder(const fs::path& file, const fs::path& folder)
{
    std::error_code ec;
    const fs::path resolved = fs::canonical(file, ec);
    return !ec && resolved.parent_path() == fs::canonical(folder, ec);
}

}  // namespace

TensorSet TensorSet::open(const fs::path& path)
{
    TensorSet set;
    set.m_path = path;
    std::error_code ec;
    if (fs::is_directory(path, ec)) {
        const bool single = fs::exists(path / kSingleName, ec);
        const bool index = fs::exists(path / kIndexName, ec);
        if (single && index)
            throw Error::at(ErrorKind::Malformed, {path.string(), "weights", std::string(kSingleName) + " and " + kIndexName, "one of them"});
        if (index) {
            set.readIndex(path / kIndexName);
        } else if (single) {
            set.addFile(path / kSingleName);
        } else {
            for (const char* pickle : {"pytorch_model.bin", "pytorch_model.bin.index.json", "consolidated.00.pth"})
                if (fs::exists(path / pickle, ec)) {
                    if (fs::path(pickle).extension() != ".json")
                        refusePickle(path / pickle);
                    throw Error::at(ErrorKind::Unsupported, {path.string(), "weights", std::string(pickle) + ", which lists pickles", "safetensors; convert them where you trust them, with save_file of the package safetensors"});
                }
            throw Error::at(ErrorKind::Malformed, {path.string(), "weights", "missing", std::string(kSingleName) + " or " + kIndexName});
        }
    } else if (path.extension() == ".json") {
        set.readIndex(path);
    } else {
        set.addFile(path);
    }
    set.finish();
    return set;
}

void TensorSet::addFile(const fs::path& file)
{
    if (file.extension() != ".safetensors")
        refusePickle(file);
    try {
        m_files.push_back(SafetensorsFile::open(file));
    } catch (const Error&) {
        // A pickle under a false name says so rather than complain about its header.
        std::error_code ec;
        if (fs::is_regular_file(file, ec))
            refusePickle(file);
        throw;
    }
}

void TensorSet::readIndex(const fs::path& index)
{
    const fs::path folder = index.parent_path().empty() ? fs::path(".") : index.parent_path();
    const Json json = readJsonFile(index, {.bytes = 16u << 20, .depth = 8});
    const auto fail = [&](const std::string& field, const std::string& found, const std::string& allowed) {
        throw Error::at(ErrorKind::Malformed, {index.string(), field, found, allowed});
    };
    const auto map = json.is_object() ? json.find("weight_map") : json.end();
    if (!json.is_object() || map == json.end() || !map->is_object() || map->empty())
        fail("weight_map", "missing or empty", "an object of tensor names and files");

    std::map<std::string, std::vector<std::string>> byShard;
    for (const auto& [tensor, file] : map->items()) {
        if (!file.is_string() || !isPlainName(file.get<std::string>()))
            fail("weight_map, \"" + tensor.substr(0, 200) + "\"", dumpLine(file).substr(0, 200), "a plain name of a file in this folder");
        byShard[file.get<std::string>()].push_back(tensor);
    }
    std::vector<std::string> missing;
    for (const auto& [name, tensors] : byShard) {
        std::error_code ec;
        if (!fs::exists(folder / name, ec))
            missing.push_back(name);
        else if (!liesInFolder(folder / name, folder))
            fail("weight_map", "\"" + name + "\", a link that leaves the folder", "files in this folder");
    }
    if (!missing.empty())
        fail("weight_map", "naming " + std::to_string(missing.size()) + " missing files: " + join(missing, ", "), "files in this folder");

    for (const auto& [name, tensors] : byShard) {
        addFile(folder / name);
        const SafetensorsFile& file = m_files.back();
        for (const std::string& tensor : tensors)
            if (!file.find(tensor))
                fail("weight_map, \"" + tensor.substr(0, 200) + "\"", "in " + name + " by the index, but not there", "a tensor of that file");
        const std::set<std::string> listed(tensors.begin(), tensors.end());
        for (const TensorInfo& info : file.tensors())
            if (!listed.contains(info.name))
                m_notes.push_back("tensor \"" + info.name.substr(0, 200) + "\" of " + name + " is not listed in the index");
    }
}

void TensorSet::finish()
{
    for (const SafetensorsFile& file : m_files) {
        for (const TensorInfo& info : file.tensors())
            m_entries.push_back({&file, &info});
        for (const std::string& note : file.notes())
            m_notes.push_back(file.path().filename().string() + ": " + note);
    }
    std::sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) { return a.info->name < b.info->name; });
    const auto twice = std::adjacent_find(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) { return a.info->name == b.info->name; });
    if (twice != m_entries.end())
        throw Error::at(ErrorKind::Malformed, {m_path.string(), "tensor \"" + twice->info->name + "\"",
                                               "in " + twice->file->path().filename().string() + " and in " + (twice + 1)->file->path().filename().string(), "each tensor once"});
}

const TensorSet::Entry* TensorSet::find(std::string_view name) const
{
    const auto it = std::lower_bound(m_entries.begin(), m_entries.end(), name, [](const Entry& entry, std::string_view key) { return entry.info->name < key; });
    return it != m_entries.end() && it->info->name == name ? &*it : nullptr;
}

}  // namespace holo::interop
