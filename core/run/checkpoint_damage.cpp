#include "core/run/checkpoint_damage.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace holo::run {

void refuseDamaged(const std::filesystem::path& file)
{
    const std::filesystem::path manifest = file.parent_path() / "manifest.json";
    std::error_code ec;
    if (!std::filesystem::is_regular_file(manifest, ec))
        return;
    const Json document = readJsonFile(manifest);
    const Json::json_pointer place = Json::json_pointer() / "files" / file.filename().string() / "sha256";
    if (!document.contains(place) || !document.at(place).is_string())
        return;
    const auto expected = document.at(place).get<std::string>();
    const std::string found = sha256OfFile(file);
    if (found != expected)
        throw Error(ErrorKind::Malformed, file.string() + ": is damaged, its SHA-256 is " + found.substr(0, 12) + "…; manifest.json states " + expected.substr(0, 12) + "….",
            {file.string(), "sha256", found, expected});
}

}  // namespace holo::run
