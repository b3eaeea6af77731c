#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace holo {

// Whole file as bytes. Throws Error (malformed) if it is missing, unreadable, not a regular file, or larger than `maxBytes`.
// Reads rather than maps: a file that shrinks meanwhile is an error, never a signal.
std::string readFile(const std::filesystem::path& file, std::size_t maxBytes = std::size_t(1) << 40);

// Replaces `file` atomically: temporary in the same folder, fsync, rename, fsync of the folder.
// A symbolic link stays; the file it points to is replaced. Throws Error (resource) on any failing call and leaves the old file as it was.
void writeFileAtomic(const std::filesystem::path& file, std::string_view bytes);

void fsyncFile(const std::filesystem::path& file);
void fsyncFolder(const std::filesystem::path& folder);

// Appends to a file that others read while it grows: one write() a call, so that a line is whole or not there.
class AppendFile {
public:
    AppendFile() = default;
    explicit AppendFile(const std::filesystem::path& file);  // creates it if needed; throws Error (resource)
    ~AppendFile();
    AppendFile(AppendFile&& other) noexcept;
    AppendFile& operator=(AppendFile&& other) noexcept;

    void append(std::string_view bytes);  // throws Error (resource); a partly written tail is cut off again
    void sync();
    bool isOpen() const { return m_fd >= 0; }

private:
    int m_fd = -1;
    std::string m_name;
};

// Kernel lock on a file, released on death. `owner` is the text the holder wrote (pid and host), for messages.
class FileLock {
public:
    FileLock() = default;
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;

    // Takes the lock at once or throws Error (busy) naming the holder; Error (resource) if the file cannot be made.
    static FileLock acquire(const std::filesystem::path& file);
    bool isHeld() const { return m_fd >= 0; }

private:
    int m_fd = -1;
};

// SHA-256 of bytes that arrive in pieces.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(const void* data, std::size_t size);
    std::string hex();  // ends the digest

private:
    void* m_context;
};

// SHA-256 in lower-case hexadecimal.
std::string sha256(std::string_view bytes);
std::string sha256OfFile(const std::filesystem::path& file);

}  // namespace holo
