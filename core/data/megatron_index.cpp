#include "core/data/megatron_index.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/input_file.h"

namespace holo::data {

namespace {

constexpr char kMagic[9] = {'M', 'M', 'I', 'D', 'I', 'D', 'X', 0, 0};
constexpr std::uint64_t kHeaderBytes = 9 + 8 + 1 + 8 + 8;
constexpr std::uint64_t kBlock = 1u << 16;

template <class T>
T valueAt(const char* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class T>
void put(std::string& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

const char* typeName(int code)
{
    static constexpr const char* kNames[] = {"", "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "uint16"};
    return code >= 1 && code <= 8 ? kNames[code] : "unknown";
}

}  // namespace

MegatronIndex readMegatronIndex(const std::filesystem::path& path, std::uint64_t binBytes)
{
    const InputFile file(path);
    const auto fail = [&](const std::string& field, const std::string& found, const std::string& allowed) {
        throw Error::at(ErrorKind::Malformed, {path.string(), field, found, allowed});
    };
    if (file.size() < kHeaderBytes)
        fail("size", std::to_string(file.size()) + " bytes", "at least " + std::to_string(kHeaderBytes) + ", the header");
    char header[kHeaderBytes];
    file.read(0, kHeaderBytes, header);
    if (std::memcmp(header, kMagic, sizeof kMagic) != 0)
        fail("the first bytes", "something else", "\"MMIDIDX\"");
    if (const auto version = valueAt<std::uint64_t>(header + 9); version != 1)
        throw Error::at(ErrorKind::Unsupported, {path.string(), "version", std::to_string(version), "1"});
    const int code = static_cast<unsigned char>(header[17]);
    if (code != 4 && code != 8)
        throw Error::at(code >= 1 && code <= 8 ? ErrorKind::Unsupported : ErrorKind::Malformed,
                        {path.string(), "type of the ids", std::to_string(code) + " (" + typeName(code) + ")", "8 (uint16) or 4 (int32)"});
    MegatronIndex index;
    index.width = code == 8 ? 2 : 4;
    index.sequences = valueAt<std::uint64_t>(header + 18);
    index.documents = valueAt<std::uint64_t>(header + 26);
    std::uint64_t forSequences = 0;
    std::uint64_t forDocuments = 0;
    std::uint64_t promised = 0;
    if (__builtin_mul_overflow(index.sequences, std::uint64_t(12), &forSequences) || __builtin_mul_overflow(index.documents, std::uint64_t(8), &forDocuments) ||
        __builtin_add_overflow(forSequences, forDocuments, &promised) || promised != file.size() - kHeaderBytes)
        fail("size", std::to_string(file.size()) + " bytes",
             "the size for " + std::to_string(index.sequences) + " sequences and " + std::to_string(index.documents) + " documents");

    std::vector<char> lengths(4 * kBlock);
    std::vector<char> offsets(8 * kBlock);
    std::uint64_t place = 0;
    for (std::uint64_t first = 0; first < index.sequences; first += kBlock) {
        const std::uint64_t count = std::min(kBlock, index.sequences - first);
        file.read(kHeaderBytes + 4 * first, 4 * count, lengths.data());
        file.read(kHeaderBytes + 4 * index.sequences + 8 * first, 8 * count, offsets.data());
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto length = valueAt<std::int32_t>(lengths.data() + 4 * i);
            const auto offset = valueAt<std::int64_t>(offsets.data() + 8 * i);
            const std::string which = " of sequence " + std::to_string(first + i);
            if (length < 0)
                fail("length" + which, std::to_string(length), "a count from 0");
            if (offset < 0 || std::uint64_t(offset) != place)
                fail("offset" + which, std::to_string(offset), std::to_string(place) + ", the end of the sequence before it");
            place += std::uint64_t(length) * std::uint64_t(index.width);
            if (place > binBytes)
                fail("end" + which, "byte " + std::to_string(place), "at most " + std::to_string(binBytes) + ", the size of the .bin beside it");
        }
    }
    if (place != binBytes)
        fail("end of the last sequence", "byte " + std::to_string(place), std::to_string(binBytes) + ", the size of the .bin beside it");
    index.tokens = place / std::uint64_t(index.width);

    std::int64_t before = 0;
    for (std::uint64_t first = 0; first < index.documents; first += kBlock) {
        const std::uint64_t count = std::min(kBlock, index.documents - first);
        file.read(kHeaderBytes + 12 * index.sequences + 8 * first, 8 * count, offsets.data());
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto sequence = valueAt<std::int64_t>(offsets.data() + 8 * i);
            if (sequence < before || std::uint64_t(sequence) > index.sequences)
                fail("start of document " + std::to_string(first + i), std::to_string(sequence), "rising places up to " + std::to_string(index.sequences));
            before = sequence;
        }
    }
    file.checkUnchanged();
    return index;
}

void writeMegatronIndex(const std::filesystem::path& path, int width, std::span<const std::int32_t> lengths)
{
    std::string bytes(kMagic, sizeof kMagic);
    bytes.reserve(kHeaderBytes + 20 * lengths.size() + 8);
    put(bytes, std::uint64_t(1));
    bytes += char(width == 2 ? 8 : 4);
    put(bytes, std::uint64_t(lengths.size()));
    put(bytes, std::uint64_t(lengths.size() + 1));
    for (const std::int32_t length : lengths)
        put(bytes, length);
    std::int64_t offset = 0;
    for (const std::int32_t length : lengths) {
        put(bytes, offset);
        offset += std::int64_t(length) * width;
    }
    for (std::size_t document = 0; document <= lengths.size(); ++document)
        put(bytes, std::int64_t(document));
    writeFileAtomic(path, bytes);
}

}  // namespace holo::data
