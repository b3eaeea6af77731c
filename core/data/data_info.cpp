#include "core/data/data_info.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/batches.h"
#include "core/data/prepared_data.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

// True if the shard gives at least one batch.
bool addBatches(Json& entry, std::uint64_t tokens, std::uint64_t windows, std::uint64_t length)
{
    const Batches batches = batchesOf(tokens, windows, length);
    entry["batches"] = batches.count;
    entry["left_over"] = batches.leftOver;
    entry["note"] = batches.count > 0 ? Json(nullptr) : Json("too short for one batch of " + std::to_string(windows) + " x " + std::to_string(length) + " tokens and one more; it is skipped");
    return batches.count > 0;
}

}  // namespace

Json dataInfo(const std::vector<fs::path>& paths, TokenType type, std::uint64_t windows, std::uint64_t length)
{
    if (paths.empty())
        throw Error::at(ErrorKind::Usage, {"", "data", "none", "a folder of prepared data, or token shards"});
    if ((windows == 0) != (length == 0))
        throw Error::at(ErrorKind::Usage, {"", "batch and length", std::to_string(windows) + " and " + std::to_string(length), "both from 1, or neither"});
    Json info;
    bool usable = windows == 0;
    std::error_code ec;
    if (paths.size() == 1 && fs::is_directory(paths[0], ec)) {
        const PreparedData data = PreparedData::open(paths[0]);
        info = data.description();
        if (windows > 0)
            for (Json& shard : info["shards"])
                usable |= addBatches(shard, shard["tokens"].get<std::uint64_t>(), windows, length);
    } else {
        info = {{"shards", Json::array()}, {"tokens", 0}, {"width", 0}, {"largest_id", 0}, {"notes", Json::array()}};
        std::uint64_t tokens = 0;
        std::uint32_t largest = 0;
        int width = 0;
        for (const fs::path& path : paths) {
            const TokenShard shard = TokenShard::open(path, type);
            Json entry = {{"file", path.string()}, {"tokens", shard.tokens()}, {"width", shard.width()}};
            if (windows > 0)
                usable |= addBatches(entry, shard.tokens(), windows, length);
            tokens += shard.tokens();
            largest = std::max(largest, shard.largestId());
            width = std::max(width, shard.width());
            info["shards"].push_back(std::move(entry));
        }
        info["tokens"] = tokens;
        info["width"] = width;
        info["largest_id"] = largest;
    }
    if (!usable)
        throw Error::at(ErrorKind::Usage, {paths[0].string(), "tokens of the longest shard", [&] {
                                               std::uint64_t longest = 0;
                                               for (const Json& shard : info["shards"])
                                                   longest = std::max(longest, shard["tokens"].get<std::uint64_t>());
                                               return std::to_string(longest);
                                           }(), "at least " + std::to_string(windows) + " x " + std::to_string(length) + " + 1 for one batch"});
    return info;
}

Json dataSample(const fs::path& source, std::uint64_t offset, std::uint64_t count, TokenType type)
{
    std::error_code ec;
    std::optional<PreparedData> data;
    std::vector<TokenShard> shards;
    if (fs::is_directory(source, ec))
        data = PreparedData::open(source);
    else
        shards.push_back(TokenShard::open(source, type));
    const TokenStream single(std::move(shards));
    const TokenStream& stream = data ? data->train() : single;
    if (offset > stream.tokens() || count > stream.tokens() - offset)
        throw Error::at(ErrorKind::Usage, {source.string(), "range of tokens", std::to_string(offset) + " + " + std::to_string(count), "up to " + std::to_string(stream.tokens()) + (data ? ", the training part" : "")});
    std::vector<std::uint32_t> ids(static_cast<std::size_t>(count));
    stream.read(offset, count, ids.data());
    const auto tokenizer = data ? data->tokenizer() : nullptr;
    return {{"tokens", ids}, {"text", tokenizer ? Json(tokenizer->decode(ids)) : Json(nullptr)}};
}

}  // namespace holo::data
