#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/json.h"
#include "core/data/token_shard.h"

namespace holo::data {

// What a folder of prepared data holds (its data.json), or what single shards hold: {shards: [{file, tokens, width, …}], tokens, width,
// largest_id, notes}. With `windows` and `length` each shard also has {batches, left_over, note}: B windows of T tokens need B·T + 1 tokens, the
// last target of a batch is the first input of the next. Throws Error (usage) if no shard gives a batch, (malformed) as the readers do.
Json dataInfo(const std::vector<std::filesystem::path>& paths, TokenType type = TokenType::Auto, std::uint64_t windows = 0, std::uint64_t length = 0);

// {tokens: [ids], text} of `count` ids from place `offset` of the training part, or of a token shard; `text` is null for data without a
// tokenizer. Throws Error (usage) if that leaves the part.
Json dataSample(const std::filesystem::path& source, std::uint64_t offset, std::uint64_t count, TokenType type = TokenType::Auto);

}  // namespace holo::data
