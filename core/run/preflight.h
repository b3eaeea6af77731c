#pragma once

#include <filesystem>

#include "core/config/project.h"

namespace holo::run {

// What can be seen of a run before anything of it is made: its sources, and its vocabulary where that needs no reading. Relative sources are
// taken from `project`. Throws Error as data::openCorpus and checkVocabulary do.
void checkInputs(const config::RunSpec& spec, const std::filesystem::path& project);

// Throws Error (usage) where model.vocab has no room for the ids of the data.
void checkVocabulary(std::int64_t vocabulary, std::int64_t needed);

}  // namespace holo::run
