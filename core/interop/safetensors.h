#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/input_file.h"

namespace holo::interop {

// One tensor of a safetensors file. Row-major; `begin` and `end` are offsets into the byte buffer behind the header.
struct TensorInfo {
    std::string name;
    std::string dtype;  // as the format spells it (dtype.h)
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t bytes() const { return end - begin; }
    std::int64_t elements() const;
};

// "[2, 3]", for messages.
std::string shapeText(const std::vector<std::int64_t>& shape);

// Reader of one file in the format of github.com/huggingface/safetensors. Strict: header length bounded by the file and by 100 MB before
// anything is allocated, header begins with '{' and is padded with blanks alone, no key twice, no gap, no overlap, buffer covered to its end.
// Reads with pread and never maps: a file that shrinks or changes meanwhile is an Error, not a signal.
// Everything throws Error (malformed) that names file, tensor and field.
class SafetensorsFile {
public:
    static constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

    static SafetensorsFile open(const std::filesystem::path& file);

    const std::filesystem::path& path() const { return m_file.path(); }
    std::uint64_t fileBytes() const { return m_file.size(); }

    // `__metadata__` in the order of the file.
    const std::vector<std::pair<std::string, std::string>>& metadata() const { return m_metadata; }
    const std::string* metadataValue(std::string_view key) const;

    // In the order of their data.
    const std::vector<TensorInfo>& tensors() const { return m_tensors; }
    const TensorInfo* find(std::string_view name) const;   // null if absent
    const TensorInfo& get(std::string_view name) const;    // throws Error (malformed) if absent

    // Copies the tensor's bytes to `destination`, which holds info.bytes() of them. May be called from several threads.
    void read(const TensorInfo& info, void* destination) const;
    // A part of them: `count` bytes from byte `offset` of the tensor.
    void read(const TensorInfo& info, std::uint64_t offset, std::uint64_t count, void* destination) const;

    // Keys of the header's entries that the format does not define, one sentence each.
    const std::vector<std::string>& notes() const { return m_notes; }

private:
    explicit SafetensorsFile(const std::filesystem::path& file)
        : m_file(file)
    {
    }

    InputFile m_file;
    std::uint64_t m_dataStart = 0;
    std::vector<std::pair<std::string, std::string>> m_metadata;
    std::vector<TensorInfo> m_tensors;
    std::vector<std::size_t> m_byName;  // indices into m_tensors, sorted by name
    std::vector<std::string> m_notes;
};

}  // namespace holo::interop
