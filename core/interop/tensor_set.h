#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/interop/safetensors.h"

namespace holo::interop {

// The tensors of one checkpoint, in one safetensors file or in the shards of a model.safetensors.index.json. Every header is read and
// checked before the first weight: plain names that lie in the folder itself, every listed tensor in the shard that the index names, none
// twice. Throws Error (malformed) that lists every missing file, (unsupported) for pickles.
class TensorSet {
public:
    // A .safetensors file, an index, or a folder with either.
    static TensorSet open(const std::filesystem::path& path);

    struct Entry {
        const SafetensorsFile* file = nullptr;
        const TensorInfo* info = nullptr;
    };
    const std::vector<Entry>& entries() const { return m_entries; }  // sorted by name
    const Entry* find(std::string_view name) const;                  // null if absent
    void read(const Entry& entry, void* destination) const { entry.file->read(*entry.info, destination); }

    const std::vector<SafetensorsFile>& files() const { return m_files; }
    const std::filesystem::path& path() const { return m_path; }
    const std::vector<std::string>& notes() const { return m_notes; }

private:
    void addFile(const std::filesystem::path& file);
    void readIndex(const std::filesystem::path& index);
    void finish();

    std::filesystem::path m_path;
    std::vector<SafetensorsFile> m_files;
    std::vector<Entry> m_entries;
    std::vector<std::string> m_notes;
};

}  // namespace holo::interop
