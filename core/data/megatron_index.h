#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace holo::data {

// What the .idx of a Megatron-LM / GPT-NeoX dataset says of its .bin. Layout: "MMIDIDX\0\0", u64 version 1, u8 type of the ids, u64 sequences,
// u64 documents, int32 lengths[], int64 byte offsets[], int64 first sequence of each document[].
struct MegatronIndex {
    int width = 2;
    std::uint64_t tokens = 0;
    std::uint64_t sequences = 0;
    std::uint64_t documents = 0;
};

// Reads and checks it whole, in bounded memory, against the size of the .bin: offsets must follow each other without gap up to its end.
// Throws Error (malformed), or (unsupported) by name for ids that are neither uint16 nor int32.
MegatronIndex readMegatronIndex(const std::filesystem::path& index, std::uint64_t binBytes);

// The .idx for sequences of these lengths, each a document of its own. Atomic; throws Error (resource).
void writeMegatronIndex(const std::filesystem::path& index, int width, std::span<const std::int32_t> lengths);

}  // namespace holo::data
