#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/interop/safetensors.h"

namespace holo::interop {

struct WrittenFile {
    std::uint64_t bytes = 0;
    std::string sha256;
};

// Writes a safetensors file: metadata and tensors in the order in which they were given, header padded with blanks to a multiple of 8,
// nothing else in it, so equal contents give equal bytes.
class SafetensorsWriter {
public:
    // Fills `chunk` with the tensor's bytes from `offset` on. Called with rising offsets, in the order of the tensors.
    using Source = std::function<void(std::uint64_t offset, std::span<std::byte> chunk)>;

    void setMetadata(const std::string& key, const std::string& value);  // replaces an earlier value

    // Throws Error (usage) for an unknown dtype, a negative size, or a name given twice. `data` is borrowed until write() returns.
    void add(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape, const void* data);
    void add(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape, Source source);

    std::size_t tensors() const { return m_tensors.size(); }

    // Atomic: temporary in the same folder, fsync, rename, fsync of the folder. Throws Error (resource) and leaves an older file as it was.
    WrittenFile write(const std::filesystem::path& file) const;

private:
    void addInfo(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape);

    std::vector<std::pair<std::string, std::string>> m_metadata;
    std::vector<TensorInfo> m_tensors;
    std::vector<const void*> m_data;
    std::vector<Source> m_sources;
    std::uint64_t m_end = 0;
};

}  // namespace holo::interop
