#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/data/token_shard.h"

namespace holo::data {

// Bytes of an id for a vocabulary: 2 up to 65 536 ids, else 4.
int widthForVocabulary(std::uint64_t vocabulary);

// Writes an llm.c token shard: magic 20240520, version 1 for ids of 2 bytes; 20240801, version 7 for 4. Or the ids alone (Raw). The file appears under its name
// only with finish(); without that nothing is left, unless the process is killed. Throws Error (resource) when the disk refuses, (malformed) for an id that does not fit.
class TokenShardWriter {
public:
    static constexpr std::uint64_t kMaxTokens = 0x7FFFFFFF;  // that the header can state

    TokenShardWriter(std::filesystem::path file, int width, ShardFormat format = ShardFormat::LlmC);
    ~TokenShardWriter();
    TokenShardWriter(const TokenShardWriter&) = delete;
    TokenShardWriter& operator=(const TokenShardWriter&) = delete;

    // A shard of which the first `tokens` ids lie safely in the file `temporary`.
    struct Unfinished {
        std::string temporary;
        std::uint64_t tokens = 0;
        std::uint32_t largestId = 0;
    };
    // Goes on with it; what lies behind those ids is dropped. Throws Error (malformed) if they are not all there.
    TokenShardWriter(std::filesystem::path file, int width, ShardFormat format, const Unfinished& unfinished);
    // Syncs what was appended.
    Unfinished checkpoint();

    void append(std::span<const std::uint32_t> ids);
    std::uint64_t tokens() const { return m_tokens; }
    std::uint32_t largestId() const { return m_largest; }
    // Writes the header, syncs and renames.
    void finish();

private:
    void flush();

    std::filesystem::path m_file;
    std::string m_temporary;
    int m_width;
    bool m_hasHeader;
    int m_fd = -1;
    std::uint64_t m_tokens = 0;
    std::uint32_t m_largest = 0;
    std::vector<unsigned char> m_buffer;
    std::size_t m_used = 0;
};

}  // namespace holo::data
