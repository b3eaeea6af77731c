#include "core/run/control.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"

namespace holo::run {

namespace fs = std::filesystem;

Control readControl(const fs::path& file)
{
    Control control;
    std::error_code ec;
    if (!fs::exists(file, ec))
        return control;
    try {
        const Json json = readJsonFile(file);
        control.pause = json.value("pause", false);
        if (json.contains("stop_at") && json.at("stop_at").is_number_integer())
            control.stopAt = json.at("stop_at").get<std::int64_t>();
        control.checkpoint = json.value("checkpoint", std::int64_t(0));
        control.evaluate = json.value("evaluate", std::int64_t(0));
    } catch (const Error&) {
        return {};
    } catch (const Json::exception&) {
        return {};
    }
    return control;
}

void writeControl(const fs::path& file, const Control& control)
{
    Json json = {{"pause", control.pause}, {"stop_at", nullptr}, {"checkpoint", control.checkpoint}, {"evaluate", control.evaluate}};
    if (control.stopAt >= 0)
        json["stop_at"] = control.stopAt;
    writeFileAtomic(file, dumpPretty(json));
}

}  // namespace holo::run
