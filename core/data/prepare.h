#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/data/prepared_data.h"
#include "core/data/text_options.h"
#include "core/data/token_shard.h"

namespace holo::data {

enum class PreparePhase {
    Hashing,    // the sources are read once to know them
    Training,   // of a tokenizer; without measure
    Skipping,   // over what an earlier process finished
    Encoding,
    Finishing,  // the shards get their SHA-256
};

struct PrepareProgress {
    PreparePhase phase;
    std::uint64_t bytes;       // of the sources, in this phase
    std::uint64_t totalBytes;
};

struct PrepareOptions {
    // Text files, JSON Lines, folders of them (core/data/text_sources.h); or token shards, then all of them.
    std::vector<std::filesystem::path> sources;
    std::string tokenizer = "bytes";   // "bytes", "sentencepiece:V" (trained on the sources with V ids), or a file (core/data/tokenizer.h)
    double validationShare = 0.05;     // of the documents, in expectation; of the tokens for shards
    std::uint64_t seed = 0;            // of the split
    TextOptions text;
    TokenType type = TokenType::Auto;  // of shards without a header
    std::uint64_t vocabulary = 0;      // 0: that of the tokenizer, or one more than the largest id of shards
    std::uint64_t shardTokens = 100'000'000;
    unsigned threads = 0;              // that encode; 0: one a core; the result is the same
    // What a process that is killed loses at most, in bytes of the sources. The next one for the same data goes on from there.
    std::uint64_t pieceBytes = 256u << 20;
    std::function<void(const PrepareProgress&)> progress;
};

// SHA-256 over the contents of the sources and every option that decides about the result; paths do not count.
std::string preparedHash(const PrepareOptions& options);

// Prepares into `folder` and opens it. The folder is made aside and renamed (core/data/prepare_folder.h says what becomes of a killed process's
// work); when it is there already with the same hash it is only opened.
// A document goes to the validation part by a hash of (seed, its first MiB), whatever its neighbours are. Where that leaves no document for
// validation, the last tokens of the training part are taken and a note says so. One end-of-document id stands between documents of a part.
// Every id is checked against the vocabulary. Throws Error (malformed, unsupported, resource as the readers do; usage for a folder that holds
// something else or options that contradict each other).
PreparedData prepareInto(const PrepareOptions& options, const std::filesystem::path& folder);

// The same in `cache`/<hash>.
PreparedData prepare(const PrepareOptions& options, const std::filesystem::path& cache);

}  // namespace holo::data
