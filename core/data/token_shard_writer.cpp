#include "core/data/token_shard_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/files.h"

namespace holo::data {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = 1u << 20;
constexpr std::size_t kHeaderBytes = 1024;

[[noreturn]] void failWrite(const fs::path& file)
{
    const std::string why = std::strerror(errno);
    throw Error(ErrorKind::Resource, file.string() + ": cannot be written (" + why + ").", {file.string(), "", why, "a writable place with free space"});
}

void writeAll(int fd, const fs::path& file, const unsigned char* bytes, std::size_t count)
{
    if (fault::hit("write", "enospc")) {
        errno = ENOSPC;
        failWrite(file);
    }
    while (count > 0) {
        const ssize_t n = ::write(fd, bytes, count);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            failWrite(file);
        bytes += n;
        count -= std::size_t(n);
    }
}

// Little-endian, whatever the machine is.
template <int Width>
void store(std::span<const std::uint32_t> ids, unsigned char* to)
{
    for (const std::uint32_t id : ids)
        for (int byte = 0; byte < Width; ++byte)
            *to++ = static_cast<unsigned char>(id >> (8 * byte));
}

}  // namespace

int widthForVocabulary(std::uint64_t vocabulary) { return vocabulary <= 65536 ? 2 : 4; }

TokenShardWriter::TokenShardWriter(fs::path file, int width, ShardFormat format)
    : m_file(std::move(file))
    , m_temporary((m_file.parent_path() / ("." + m_file.filename().string() + ".XXXXXX")).string())
    , m_width(width)
    , m_hasHeader(format == ShardFormat::LlmC)
    , m_fd(::mkostemp(m_temporary.data(), O_CLOEXEC))
{
    if (m_fd < 0)
        failWrite(m_file);
    ::fchmod(m_fd, 0644);
    m_buffer.assign(kBufferBytes, 0);
    m_used = m_hasHeader ? kHeaderBytes : 0;  // the header's place
}

TokenShardWriter::TokenShardWriter(fs::path file, int width, ShardFormat format, const Unfinished& unfinished)
    : m_file(std::move(file))
    , m_temporary(unfinished.temporary)
    , m_width(width)
    , m_hasHeader(format == ShardFormat::LlmC)
    , m_fd(::open(unfinished.temporary.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW))
    , m_tokens(unfinished.tokens)
    , m_largest(unfinished.largestId)
{
    const off_t size = off_t((m_hasHeader ? kHeaderBytes : 0) + m_tokens * std::uint64_t(m_width));
    struct stat status {};
    if (m_fd < 0 || ::fstat(m_fd, &status) != 0 || status.st_size < size) {
        if (m_fd >= 0)
            ::close(m_fd);
        throw Error::at(ErrorKind::Malformed, {m_temporary, "an unfinished shard", m_fd < 0 ? "missing" : std::to_string(status.st_size) + " bytes", "at least " + std::to_string(size)});
    }
    m_buffer.assign(kBufferBytes, 0);
    if (::ftruncate(m_fd, size) != 0 || ::lseek(m_fd, size, SEEK_SET) != size)
        failWrite(m_file);
}

TokenShardWriter::~TokenShardWriter()
{
    if (m_fd < 0)
        return;
    ::close(m_fd);
    ::unlink(m_temporary.c_str());
}

void TokenShardWriter::append(std::span<const std::uint32_t> ids)
{
    if (m_hasHeader && ids.size() > kMaxTokens - m_tokens)
        throw Error::at(ErrorKind::Usage, {m_file.string(), "tokens of the shard", std::to_string(m_tokens + ids.size()), "at most " + std::to_string(kMaxTokens)});
    while (!ids.empty()) {
        const std::size_t room = (kBufferBytes - m_used) / std::size_t(m_width);
        if (room == 0) {
            flush();
            continue;
        }
        const auto part = ids.first(std::min(room, ids.size()));
        const std::uint32_t largest = *std::max_element(part.begin(), part.end());
        if (m_width == 2 && largest > 0xFFFF) {
            const auto bad = std::find_if(part.begin(), part.end(), [](std::uint32_t id) { return id > 0xFFFF; });
            throw Error::at(ErrorKind::Malformed, {m_file.string(), "token " + std::to_string(m_tokens + std::uint64_t(bad - part.begin())), "id " + std::to_string(*bad), "ids below 65536 in a shard of 2 bytes an id"});
        }
        unsigned char* to = m_buffer.data() + m_used;
        if (m_width == 2)
            store<2>(part, to);
        else
            store<4>(part, to);
        m_largest = std::max(m_largest, largest);
        m_tokens += part.size();
        m_used += part.size() * std::size_t(m_width);
        ids = ids.subspan(part.size());
    }
}

void TokenShardWriter::flush()
{
    writeAll(m_fd, m_file, m_buffer.data(), m_used);
    m_used = 0;
}

TokenShardWriter::Unfinished TokenShardWriter::checkpoint()
{
    flush();
    if (::fdatasync(m_fd) != 0)
        failWrite(m_file);
    return {m_temporary, m_tokens, m_largest};
}

void TokenShardWriter::finish()
{
    flush();
    const bool narrow = m_width == 2;
    const std::array<std::int32_t, 3> header{narrow ? 20240520 : 20240801, narrow ? 1 : 7, std::int32_t(m_tokens)};
    if (fault::hit("fsync", "fail")) {
        errno = EIO;
        failWrite(m_file);
    }
    if ((m_hasHeader && ::pwrite(m_fd, header.data(), sizeof header, 0) != ssize_t(sizeof header)) || ::fsync(m_fd) != 0 || ::rename(m_temporary.c_str(), m_file.c_str()) != 0)
        failWrite(m_file);
    ::close(m_fd);
    m_fd = -1;
    fsyncFolder(m_file.parent_path());
}

}  // namespace holo::data
