#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/config/fields.h"
#include "core/config/project.h"

namespace holo::config {

// One key of an arm beside name and scheme: "train.lr", or a group such as "train" with an object. Adds its leaves to `overrides`
// by full path; what is unknown, mistyped or out of range goes to `problems` under `armField`.
void collectOverrides(const std::string& key, const Json& value, const std::string& armField, std::vector<std::pair<std::string, Json>>& overrides,
                      std::vector<Problem>& problems);

// Puts --param PATH=VALUE into a project's document. Overrides of the same field in its arms give way: the command line is nearer.
// Throws Error (usage) for a path that no field has.
void applyParameter(Json& project, const std::string& path, const Json& value);

// Applies an arm's overrides to the shared spec.
void applyOverrides(RunSpec& spec, const std::vector<std::pair<std::string, Json>>& overrides, std::vector<Problem>& problems,
                    const std::string& armField);

}  // namespace holo::config
