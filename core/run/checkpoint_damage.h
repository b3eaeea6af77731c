#pragma once

#include <filesystem>

namespace holo::run {

// Throws Error (malformed) if the manifest beside a checkpoint's file states another SHA-256 of it. A file without a manifest is taken as it is.
void refuseDamaged(const std::filesystem::path& file);

}  // namespace holo::run
