#pragma once

#include <filesystem>
#include <optional>

#include "core/base/json.h"
#include "core/config/project.h"

namespace holo::report {

// Vocabulary that a model will get, without preparing any data: the model's own, the synthetic corpus', or the tokenizer's. Nothing where only
// the data can tell (token shards without a stated vocabulary, a tokenizer file that is not there yet).
std::optional<int> plannedVocabulary(const config::RunSpec& spec, const std::filesystem::path& project);

// What a run will take: {vocab, parameters, parameters_without_embedding, steps, tokens, checkpoint_bytes, memory_bytes, flops, tok_s, seconds,
// seconds_basis}. Time comes from the newest rate that a run of the same model in this project has logged; null where none has yet.
Json estimate(const config::RunSpec& spec, const std::filesystem::path& project);

}  // namespace holo::report
