#include "core/base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace holo {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& why)
{
    throw Error(ErrorKind::Malformed, file.string() + ": cannot be read (" + why + ").", {file.string(), "", why, "a readable file"});
}

std::int64_t changeTimeNs(const struct stat& info) { return std::int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec; }

}  // namespace

InputFile::InputFile(const fs::path& file)
    : m_path(file)
    // O_NONBLOCK: a named pipe must not hang us before fstat can refuse it.
    , m_fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
{
    if (m_fd < 0)
        fail(file, std::strerror(errno));
    struct stat info {};
    const bool known = ::fstat(m_fd, &info) == 0;
    if (!known || !S_ISREG(info.st_mode)) {
        const std::string why = !known ? std::strerror(errno) : S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file";
        ::close(m_fd);
        fail(file, why);
    }
    m_size = std::uint64_t(info.st_size);
    m_changedNs = changeTimeNs(info);
}

InputFile::~InputFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

InputFile::InputFile(InputFile&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_fd(std::exchange(other.m_fd, -1))
    , m_size(other.m_size)
    , m_changedNs(other.m_changedNs)
{
}

InputFile& InputFile::operator=(InputFile&& other) noexcept
{
    std::swap(m_path, other.m_path);
    std::swap(m_fd, other.m_fd);
    std::swap(m_size, other.m_size);
    std::swap(m_changedNs, other.m_changedNs);
    return *this;
}

void InputFile::read(std::uint64_t position, std::uint64_t count, void* destination) const
{
    auto* out = static_cast<char*>(destination);
    while (count > 0) {
        const ssize_t n = ::pread(m_fd, out, std::size_t(std::min<std::uint64_t>(count, 1u << 30)), off_t(position));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail(m_path, std::strerror(errno));
        if (n == 0)
            fail(m_path, "it ends at byte " + std::to_string(position) + ", " + std::to_string(count) + " bytes too early");
        out += n;
        position += std::uint64_t(n);
        count -= std::uint64_t(n);
    }
}

void InputFile::checkUnchanged() const
{
    struct stat info {};
    if (::fstat(m_fd, &info) != 0)
        fail(m_path, std::strerror(errno));
    if (std::uint64_t(info.st_size) != m_size)
        fail(m_path, "its size changed from " + std::to_string(m_size) + " to " + std::to_string(info.st_size) + " bytes while it was read");
    if (changeTimeNs(info) != m_changedNs)
        fail(m_path, "it was written to while it was read");
}

}  // namespace holo
