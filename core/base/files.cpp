#include "core/base/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/fault.h"

namespace holo {

namespace fs = std::filesystem;

namespace {

std::string reason() { return std::strerror(errno); }

class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

[[noreturn]] void failRead(const fs::path& file, const std::string& why)
{
    throw Error(ErrorKind::Malformed, file.string() + ": cannot be read (" + why + ").", {file.string(), "", why, "a readable file"});
}

[[noreturn]] void failWrite(const fs::path& file, const std::string& why)
{
    throw Error(ErrorKind::Resource, file.string() + ": cannot be written (" + why + ").", {file.string(), "", why, "a writable place with free space"});
}

void writeAll(int fd, std::string_view bytes, const fs::path& file)
{
    if (fault::hit("write", "enospc")) {
        errno = ENOSPC;
        failWrite(file, reason());
    }
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR)
                continue;
            failWrite(file, reason());
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void syncDescriptor(int fd, const fs::path& file)
{
    if (fault::hit("fsync", "fail")) {
        errno = EIO;
        failWrite(file, reason());
    }
    if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        failWrite(file, reason());
}

}  // namespace

std::string readFile(const fs::path& file, std::size_t maxBytes)
{
    // O_NONBLOCK: a named pipe must not hang us before fstat can refuse it.
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0)
        failRead(file, reason());
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0)
        failRead(file, reason());
    if (S_ISDIR(info.st_mode))
        failRead(file, "it is a folder");
    if (!S_ISREG(info.st_mode))
        failRead(file, "it is not a regular file");
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size > maxBytes)
        throw Error::at(ErrorKind::Malformed, {file.string(), "size", std::to_string(size) + " bytes", "at most " + std::to_string(maxBytes)});
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t n = ::read(fd.get(), bytes.data() + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            failRead(file, reason());
        if (n == 0)
            failRead(file, "it ended at byte " + std::to_string(done) + " of " + std::to_string(size) + " while being read");
        done += static_cast<std::size_t>(n);
    }
    return bytes;
}

void fsyncFile(const fs::path& file)
{
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0)
        failWrite(file, reason());
    syncDescriptor(fd.get(), file);
}

void fsyncFolder(const fs::path& folder) { fsyncFile(folder.empty() ? fs::path(".") : folder); }

void writeFileAtomic(const fs::path& file, std::string_view bytes)
{
    std::error_code ec;
    const fs::path target = fs::is_symlink(file, ec) ? fs::weakly_canonical(file, ec) : file;
    std::string temporary = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    Descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (fd.get() < 0)
        failWrite(target, reason());
    try {
        writeAll(fd.get(), bytes, target);
        struct stat old {};
        const mode_t mode = ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0644;
        ::fchmod(fd.get(), mode);
        syncDescriptor(fd.get(), target);
        if (::rename(temporary.c_str(), target.c_str()) != 0)
            failWrite(target, reason());
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    fsyncFolder(target.parent_path());
}

AppendFile::AppendFile(const fs::path& file)
    : m_fd(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644))
    , m_name(file.string())
{
    if (m_fd < 0)
        failWrite(file, reason());
}

AppendFile::~AppendFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_name(std::move(other.m_name))
{
}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    std::swap(m_name, other.m_name);
    return *this;
}

void AppendFile::append(std::string_view bytes)
{
    struct stat before {};
    ::fstat(m_fd, &before);
    try {
        writeAll(m_fd, bytes, m_name);
    } catch (...) {
        // A half line would join with the next one and lose both.
        if (::ftruncate(m_fd, before.st_size) != 0) {
        }
        throw;
    }
}

void AppendFile::sync() { syncDescriptor(m_fd, m_name); }

FileLock::~FileLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

FileLock::FileLock(FileLock&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
{
}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}

FileLock FileLock::acquire(const fs::path& file)
{
    Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (fd.get() < 0)
        failWrite(file, reason());
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        std::array<char, 256> owner{};
        const ssize_t n = ::pread(fd.get(), owner.data(), owner.size() - 1, 0);
        const std::string who = n > 0 ? std::string(owner.data(), static_cast<std::size_t>(n)) : std::string("another process");
        throw Error(ErrorKind::Busy, file.parent_path().string() + ": has another writer (" + who + ").",
                    {file.parent_path().string(), "lock", who, "one writer"});
    }
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string owner = "pid " + std::to_string(::getpid()) + " on " + host.data();
    if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), owner.data(), owner.size(), 0) < 0)
        failWrite(file, reason());
    FileLock lock;
    lock.m_fd = fd.release();
    return lock;
}

Sha256::Sha256()
    : m_context(EVP_MD_CTX_new())
{
    EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(m_context), EVP_sha256(), nullptr);
}

Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(m_context)); }

void Sha256::add(const void* data, std::size_t size) { EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(m_context), data, size); }

std::string Sha256::hex()
{
    std::array<unsigned char, 32> bytes{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(m_context), bytes.data(), &size);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char b : bytes) {
        text += kDigits[b >> 4];
        text += kDigits[b & 15];
    }
    return text;
}

std::string sha256(std::string_view bytes)
{
    Sha256 digest;
    digest.add(bytes.data(), bytes.size());
    return digest.hex();
}

std::string sha256OfFile(const fs::path& file)
{
    const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0)
        failRead(file, reason());
    Sha256 digest;
    std::string buffer(1 << 20, '\0');
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            failRead(file, reason());
        if (n == 0)
            return digest.hex();
        digest.add(buffer.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace holo
