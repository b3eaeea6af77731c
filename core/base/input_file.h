#pragma once

#include <cstdint>
#include <filesystem>

namespace holo {

// A regular file opened for reading at any place, for formats whose header promises what follows. Never maps: a file that is cut or
// changed by somebody else while it is read ends in an Error, not in a signal. Everything throws Error (malformed) that names the file.
class InputFile {
public:
    explicit InputFile(const std::filesystem::path& file);  // also refuses folders, pipes and devices
    ~InputFile();
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t size() const { return m_size; }

    // Exactly `count` bytes from `position`. May be called from several threads.
    void read(std::uint64_t position, std::uint64_t count, void* destination) const;
    // Throws if size or time of change differ from what they were when the file was opened.
    void checkUnchanged() const;

private:
    std::filesystem::path m_path;
    int m_fd = -1;
    std::uint64_t m_size = 0;
    std::int64_t m_changedNs = 0;
};

}  // namespace holo
