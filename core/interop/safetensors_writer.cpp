#include "core/interop/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/interop/dtype.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunkBytes = 4u << 20;

[[noreturn]] void failWrite(const fs::path& file)
{
    const std::string why = std::strerror(errno);
    throw Error(ErrorKind::Resource, file.string() + ": cannot be written (" + why + ").", {file.string(), "", why, "a writable place with free space"});
}

// A temporary beside the target that vanishes unless it is renamed.
class TemporaryFile {
public:
    explicit TemporaryFile(const fs::path& target)
        : m_target(target)
        , m_name((target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string())
        , m_fd(::mkostemp(m_name.data(), O_CLOEXEC))
    {
        if (m_fd < 0)
            failWrite(m_target);
    }
    ~TemporaryFile()
    {
        ::close(m_fd);
        if (!m_renamed)
            ::unlink(m_name.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void write(const void* data, std::size_t count)
    {
        if (fault::hit("write", "enospc")) {
            errno = ENOSPC;
            failWrite(m_target);
        }
        m_digest.add(data, count);
        m_bytes += count;
        const auto* in = static_cast<const char*>(data);
        while (count > 0) {
            const ssize_t n = ::write(m_fd, in, count);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                failWrite(m_target);
            in += n;
            count -= std::size_t(n);
        }
    }

    WrittenFile commit()
    {
        struct stat old {};
        ::fchmod(m_fd, ::stat(m_target.c_str(), &old) == 0 ? old.st_mode & 07777 : 0644);
        if (fault::hit("fsync", "fail")) {
            errno = EIO;
            failWrite(m_target);
        }
        if (::fsync(m_fd) != 0 && errno != EINVAL && errno != EROFS)
            failWrite(m_target);
        if (::rename(m_name.c_str(), m_target.c_str()) != 0)
            failWrite(m_target);
        m_renamed = true;
        fsyncFolder(m_target.parent_path());
        return {m_bytes, m_digest.hex()};
    }

private:
    fs::path m_target;
    std::string m_name;
    int m_fd;
    bool m_renamed = false;
    std::uint64_t m_bytes = 0;
    Sha256 m_digest;
};

}  // namespace

void SafetensorsWriter::setMetadata(const std::string& key, const std::string& value)
{
    for (auto& [name, old] : m_metadata)
        if (name == key) {
            old = value;
            return;
        }
    m_metadata.emplace_back(key, value);
}

void SafetensorsWriter::addInfo(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape)
{
    const auto bits = dtypeBits(dtype);
    if (!bits)
        throw Error::at(ErrorKind::Usage, {"", "dtype of tensor \"" + name + "\"", dtype, "a type of the safetensors format"});
    if (name == "__metadata__" || std::any_of(m_tensors.begin(), m_tensors.end(), [&](const TensorInfo& t) { return t.name == name; }))
        throw Error::at(ErrorKind::Usage, {"", "tensor name", "\"" + name + "\" a second time or reserved", "each name once"});
    std::uint64_t total = std::uint64_t(*bits);
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(total, std::uint64_t(size), &total))
            throw Error::at(ErrorKind::Usage, {"", "shape of tensor \"" + name + "\"", shapeText(shape), "sizes from 0 whose product fits 64 bits"});
    if (total % 8 != 0)
        throw Error::at(ErrorKind::Usage, {"", "shape of tensor \"" + name + "\"", shapeText(shape) + " of " + dtype, "whole bytes"});
    m_tensors.push_back({name, dtype, shape, m_end, m_end + total / 8});
    m_end += total / 8;
}

void SafetensorsWriter::add(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape, const void* data)
{
    addInfo(name, dtype, shape);
    m_data.push_back(data);
    m_sources.emplace_back();
}

void SafetensorsWriter::add(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape, Source source)
{
    addInfo(name, dtype, shape);
    m_data.push_back(nullptr);
    m_sources.push_back(std::move(source));
}

WrittenFile SafetensorsWriter::write(const fs::path& file) const
{
    Json header = Json::object();
    if (!m_metadata.empty()) {
        Json& metadata = header["__metadata__"] = Json::object();
        for (const auto& [key, value] : m_metadata)
            metadata[key] = value;
    }
    for (const TensorInfo& tensor : m_tensors)
        header.push_back({tensor.name, {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}}});
    std::string text = dumpLine(header);
    text.append((8 - text.size() % 8) % 8, ' ');
    if (text.size() > SafetensorsFile::kMaxHeaderBytes)
        throw Error::at(ErrorKind::Usage, {file.string(), "header", std::to_string(text.size()) + " bytes", "at most " + std::to_string(SafetensorsFile::kMaxHeaderBytes)});
    std::string start(8, '\0');
    for (int i = 0; i < 8; ++i)
        start[std::size_t(i)] = char(std::uint64_t(text.size()) >> (8 * i) & 255);

    std::error_code ec;
    TemporaryFile out(fs::is_symlink(file, ec) ? fs::weakly_canonical(file, ec) : file);
    start += text;
    out.write(start.data(), start.size());
    std::vector<std::byte> buffer;
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        const std::uint64_t bytes = m_tensors[i].bytes();
        for (std::uint64_t offset = 0; offset < bytes; offset += kChunkBytes) {
            const auto count = std::size_t(std::min<std::uint64_t>(kChunkBytes, bytes - offset));
            if (m_sources[i]) {
                buffer.resize(count);
                m_sources[i](offset, buffer);
                out.write(buffer.data(), count);
            } else {
                out.write(static_cast<const char*>(m_data[i]) + offset, count);
            }
        }
    }
    return out.commit();
}

}  // namespace holo::interop
