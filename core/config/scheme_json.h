#pragma once

#include <filesystem>
#include <string>

#include "core/base/json.h"
#include "core/ladder/plan.h"
#include "core/ladder/scheme.h"

namespace holo::config {

// SCHEME of the command line: a JSON file, inline JSON, or "KIND[:key=value,…]". Throws Error (usage) naming the nearest kind or key.
// Files (also "@file" of a list or matrix parameter) are taken from `folder`; one that is missing or broken is Error (malformed).
ladder::Scheme parseScheme(const std::string& text, const std::filesystem::path& folder = {});
// A short form as a text, or {"kind": …, parameters…}; a hybrid has share, special and rest, or "parts": [{name, scheme, share, layers, heads}].
ladder::Scheme schemeFromJson(const Json& json, const std::string& field, const std::filesystem::path& folder = {});
Json toJson(const ladder::Scheme& scheme);           // reads back as SCHEME
// The same scheme with what was left out written down: defaults of the kind's table, base and context of the model.
ladder::Scheme resolvedScheme(const ladder::Scheme& scheme, const ladder::ModelShape& shape);
std::string shortForm(const ladder::Scheme& scheme); // "mobius:context=512"; JSON on one line where there is no short form

// The resolved plan as JSON: ladders, heads, share (what run.json and `ladder --json` hold).
Json toJson(const ladder::Plan& plan, bool withTables = false);

}  // namespace holo::config
