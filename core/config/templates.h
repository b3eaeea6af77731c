#pragma once

#include <string>
#include <vector>

#include "core/config/project.h"

namespace holo::config {

// The sizes at which a template of `holonomy new` is offered, its own first. Throws Error (usage) with the nearest name.
std::vector<std::string> templateSizes(const std::string& name);
Project projectTemplate(const std::string& name, const std::string& size);  // empty: its own size

}  // namespace holo::config
