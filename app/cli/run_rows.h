#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/model/run_row.h"

namespace holo::cli {

// PROJECT as a folder. Throws Error (malformed) if it is none.
std::filesystem::path projectFolder(const std::filesystem::path& project);

Json rowJson(const model::RunRow& row);
std::string rowTable(const std::vector<model::RunRow>& rows);

}  // namespace holo::cli
