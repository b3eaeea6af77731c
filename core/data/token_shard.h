#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/input_file.h"

namespace holo::data {

// How ids are stored. Auto: by the file's header; a file without one is refused then.
enum class TokenType { Auto, U16, U32 };

// "u16" or "u32"; throws Error (usage) otherwise.
TokenType tokenTypeFromName(std::string_view name);

enum class ShardFormat {
    LlmC,      // 256 int32 of header, magic 20240520 (version 1, u16) or 20240801 (version 7, u32); github.com/karpathy/llm.c
    Megatron,  // .bin with an .idx beside it, as Megatron-LM and GPT-NeoX write them
    NumPy,     // one-dimensional .npy with a header
    Raw,       // ids alone (nanoGPT; OLMo, which names such files .npy)
};

// A file of token ids. Opening checks sizes against headers; reading never maps, so a file that is cut meanwhile is an Error.
// Everything throws Error: malformed for broken, short or contradictory files, unsupported for other kinds of data by name,
// usage where the type of a file without header was not stated.
class TokenShard {
public:
    static TokenShard open(const std::filesystem::path& file, TokenType type = TokenType::Auto);

    const std::filesystem::path& path() const { return m_file.path(); }
    ShardFormat format() const { return m_format; }
    std::uint64_t tokens() const { return m_tokens; }
    int width() const { return m_width; }  // bytes of a stored id: 2 or 4

    // `count` ids from place `offset` on.
    void read(std::uint64_t offset, std::uint64_t count, std::uint32_t* out) const;
    void read(std::uint64_t offset, std::uint64_t count, std::int64_t* out) const;

    // Reads the whole file once.
    std::uint32_t largestId() const;
    // Throws Error (malformed) that names file, place and id of the first id that is not below `vocabulary`.
    void checkIds(std::uint64_t vocabulary) const;

private:
    explicit TokenShard(const std::filesystem::path& file)
        : m_file(file)
    {
    }
    void readStored(std::uint64_t offset, std::uint64_t count, void* out) const;

    InputFile m_file;
    ShardFormat m_format = ShardFormat::Raw;
    int m_width = 2;
    std::uint64_t m_start = 0;
    std::uint64_t m_tokens = 0;
};

}  // namespace holo::data
