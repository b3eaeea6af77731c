#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <spdlog/version.h>

#include "app/cli/text_table.h"
#include "app/cli/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "kernels/common/isa.h"

namespace holo::cli {

namespace {

namespace fs = std::filesystem;

// /proc and /sys hold what we say of the machine; a file that is not there is an empty text.
std::string firstLineOf(const fs::path& file)
{
    std::error_code ec;
    if (!fs::exists(file, ec))
        return {};
    try {
        const std::string text = readFile(file);
        return std::string(trimmed(std::string_view(text).substr(0, text.find('\n'))));
    } catch (const Error&) {
        return {};
    }
}

std::string processorField(const std::string& key)
{
    std::FILE* file = std::fopen("/proc/cpuinfo", "r");
    if (!file)
        return {};
    std::string found;
    char line[8192];
    while (found.empty() && std::fgets(line, sizeof line, file)) {
        const std::string_view text = line;
        const auto colon = text.find(':');
        if (colon != std::string_view::npos && trimmed(text.substr(0, colon)) == key)
            found = trimmed(text.substr(colon + 1));
    }
    std::fclose(file);
    return found;
}

Json processorFeatures()
{
    const auto flags = split(processorField("flags"), ' ');
    Json features = Json::array();
    for (const char* wanted : {"avx2", "fma", "f16c", "avx512f", "avx512_bf16", "amx_bf16"})
        if (std::find(flags.begin(), flags.end(), wanted) != flags.end())
            features.push_back(wanted);
    return features;
}

// Names that the NVIDIA driver publishes; no library is loaded for it.
Json graphicsProcessors()
{
    Json list = Json::array();
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", ec)) {
        std::FILE* file = std::fopen((entry.path() / "information").c_str(), "r");
        if (!file)
            continue;
        char line[1024];
        while (std::fgets(line, sizeof line, file)) {
            const std::string_view text = line;
            if (text.starts_with("Model:"))
                list.push_back(std::string(trimmed(text.substr(6))));
        }
        std::fclose(file);
    }
    return list;
}

std::string libtorchVersion()
{
    // The wheel keeps its version in a text beside the libraries; asking the library itself would initialise it.
    const std::string text = firstLineOf(fs::path(HOLO_LIBTORCH) / "version.py");
    if (const auto quote = text.find('\''); quote != std::string::npos)
        return text.substr(quote + 1, text.find('\'', quote + 1) - quote - 1);
    for (const std::string& part : split(HOLO_LIBTORCH, '/'))
        if (part.starts_with("libtorch-"))
            return part.substr(9);
    return "unknown";
}

Output version()
{
    Json document = {{"format", 1}, {"version", HOLO_VERSION}, {"revision", HOLO_REVISION}, {"build_type", HOLO_BUILD_TYPE}, {"compiler", __VERSION__}};
    document["libraries"] = {{"libtorch", libtorchVersion()},
                             {"nlohmann_json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." + std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." + std::to_string(NLOHMANN_JSON_VERSION_PATCH)},
                             {"cli11", CLI11_VERSION},
                             {"spdlog", std::to_string(SPDLOG_VER_MAJOR) + "." + std::to_string(SPDLOG_VER_MINOR) + "." + std::to_string(SPDLOG_VER_PATCH)}};
    document["cpu"] = {{"name", processorField("model name")}, {"features", processorFeatures()}, {"kernels", kernels::isaName(kernels::bestIsa())}};
    document["gpus"] = graphicsProcessors();
    TextTable table({"part", "version"});
    table.add({"holonomy", std::string(HOLO_VERSION) + " (" + HOLO_REVISION + ", " + HOLO_BUILD_TYPE + ")"});
    for (const auto& [name, value] : document["libraries"].items())
        table.add({name, value.get<std::string>()});
    table.add({"compiler", __VERSION__});
    table.add({"CPU", document["cpu"]["name"].get<std::string>() + ", kernels " + document["cpu"]["kernels"].get<std::string>()});
    std::vector<std::string> gpus;
    for (const Json& gpu : document["gpus"])
        gpus.push_back(gpu.get<std::string>());
    table.add({"GPUs", gpus.empty() ? "none" : join(gpus, ", ")});
    return {std::move(document), table.text()};
}

}  // namespace

void addVersionVerb(CLI::App& app, Context& context)
{
    addVerb(app, context, "version", "build, libraries and devices", "holonomy version --json", version);
}

}  // namespace holo::cli
