#include "core/interop/safetensors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/text.h"
#include "core/interop/safetensors_header.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void failRead(const fs::path& file, const std::string& why)
{
    throw Error(ErrorKind::Malformed, file.string() + ": cannot be read (" + why + ").", {file.string(), "", why, "a readable safetensors file"});
}

void readExactly(int fd, const fs::path& file, std::uint64_t position, std::uint64_t count, void* destination)
{
    auto* out = static_cast<char*>(destination);
    while (count > 0) {
        const ssize_t n = ::pread(fd, out, std::size_t(std::min<std::uint64_t>(count, 1u << 30)), off_t(position));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            failRead(file, std::strerror(errno));
        if (n == 0)
            failRead(file, "it ends at byte " + std::to_string(position) + ", " + std::to_string(count) + " bytes before the end of what its header promised");
        out += n;
        position += std::uint64_t(n);
        count -= std::uint64_t(n);
    }
}

std::int64_t changeTimeNs(const struct stat& info) { return std::int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec; }

std::uint64_t littleEndian64(const unsigned char* bytes)
{
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i)
        value = value << 8 | bytes[i];
    return value;
}

}  // namespace

std::int64_t TensorInfo::elements() const { return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>()); }

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::vector<std::string> parts;
    for (const std::int64_t size : shape)
        parts.push_back(std::to_string(size));
    return "[" + join(parts, ", ") + "]";
}

SafetensorsFile SafetensorsFile::open(const fs::path& path)
{
    SafetensorsFile file;
    file.m_path = path;
    // O_NONBLOCK: a named pipe must not hang us before fstat can refuse it.
    file.m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file.m_fd < 0)
        failRead(path, std::strerror(errno));
    struct stat info {};
    if (::fstat(file.m_fd, &info) != 0)
        failRead(path, std::strerror(errno));
    if (!S_ISREG(info.st_mode))
        failRead(path, S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
    file.m_fileBytes = std::uint64_t(info.st_size);
    file.m_changedNs = changeTimeNs(info);

    if (file.m_fileBytes < 8)
        throw Error::at(ErrorKind::Malformed, {path.string(), "size", std::to_string(file.m_fileBytes) + " bytes", "at least 8, the length of a header"});
    unsigned char lengthBytes[8];
    readExactly(file.m_fd, path, 0, 8, lengthBytes);
    const std::uint64_t length = littleEndian64(lengthBytes);
    if (length > kMaxHeaderBytes)
        throw Error::at(ErrorKind::Malformed, {path.string(), "header length", std::to_string(length), "at most " + std::to_string(kMaxHeaderBytes)});
    if (length > file.m_fileBytes - 8)
        throw Error::at(ErrorKind::Malformed, {path.string(), "header length", std::to_string(length),
                                               "at most " + std::to_string(file.m_fileBytes - 8) + " in a file of " + std::to_string(file.m_fileBytes) + " bytes"});
    std::string text(std::size_t(length), '\0');
    readExactly(file.m_fd, path, 8, length, text.data());
    file.m_dataStart = 8 + length;

    SafetensorsHeader header = parseSafetensorsHeader(text, file.m_fileBytes - file.m_dataStart, path.string());
    file.m_metadata = std::move(header.metadata);
    file.m_tensors = std::move(header.tensors);
    file.m_notes = std::move(header.notes);
    file.m_byName.resize(file.m_tensors.size());
    std::iota(file.m_byName.begin(), file.m_byName.end(), std::size_t(0));
    std::sort(file.m_byName.begin(), file.m_byName.end(), [&](std::size_t a, std::size_t b) { return file.m_tensors[a].name < file.m_tensors[b].name; });

    if (fault::hit("safetensors", "truncate") && ::truncate(path.c_str(), off_t(file.m_fileBytes / 2)) != 0)
        failRead(path, std::strerror(errno));
    return file;
}

SafetensorsFile::~SafetensorsFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept { *this = std::move(other); }

SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&& other) noexcept
{
    std::swap(m_path, other.m_path);
    std::swap(m_fd, other.m_fd);
    std::swap(m_fileBytes, other.m_fileBytes);
    std::swap(m_dataStart, other.m_dataStart);
    std::swap(m_changedNs, other.m_changedNs);
    std::swap(m_metadata, other.m_metadata);
    std::swap(m_tensors, other.m_tensors);
    std::swap(m_byName, other.m_byName);
    std::swap(m_notes, other.m_notes);
    return *this;
}

const std::string* SafetensorsFile::metadataValue(std::string_view key) const
{
    for (const auto& [name, value] : m_metadata)
        if (name == key)
            return &value;
    return nullptr;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const
{
    const auto it = std::lower_bound(m_byName.begin(), m_byName.end(), name, [&](std::size_t i, std::string_view key) { return m_tensors[i].name < key; });
    return it != m_byName.end() && m_tensors[*it].name == name ? &m_tensors[*it] : nullptr;
}

const TensorInfo& SafetensorsFile::get(std::string_view name) const
{
    if (const TensorInfo* info = find(name))
        return *info;
    throw Error::at(ErrorKind::Malformed, {m_path.string(), "tensor \"" + std::string(name) + "\"", "missing", "present"});
}

void SafetensorsFile::checkUnchanged() const
{
    struct stat info {};
    if (::fstat(m_fd, &info) != 0)
        failRead(m_path, std::strerror(errno));
    if (std::uint64_t(info.st_size) != m_fileBytes)
        failRead(m_path, "it has changed its size from " + std::to_string(m_fileBytes) + " to " + std::to_string(info.st_size) + " bytes while being read");
    if (changeTimeNs(info) != m_changedNs)
        failRead(m_path, "it was written to while being read");
}

void SafetensorsFile::read(const TensorInfo& info, void* destination) const { read(info, 0, info.bytes(), destination); }

void SafetensorsFile::read(const TensorInfo& info, std::uint64_t offset, std::uint64_t count, void* destination) const
{
    if (offset > info.bytes() || count > info.bytes() - offset)
        throw Error(ErrorKind::Internal, m_path.string() + ": a read of " + std::to_string(count) + " bytes from " + std::to_string(offset) + " leaves tensor \"" + info.name + "\".");
    readExactly(m_fd, m_path, m_dataStart + info.begin + offset, count, destination);
    checkUnchanged();
}

}  // namespace holo::interop
