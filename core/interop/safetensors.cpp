#include "core/interop/safetensors.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/fault.h"
#include "core/base/text.h"
#include "core/interop/safetensors_header.h"

namespace holo::interop {

namespace fs = std::filesystem;

namespace {

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
    SafetensorsFile file(path);
    const std::uint64_t size = file.m_file.size();
    if (size < 8)
        throw Error::at(ErrorKind::Malformed, {path.string(), "size", std::to_string(size) + " bytes", "at least 8, the length of a header"});
    unsigned char lengthBytes[8];
    file.m_file.read(0, 8, lengthBytes);
    const std::uint64_t length = littleEndian64(lengthBytes);
    if (length > kMaxHeaderBytes)
        throw Error::at(ErrorKind::Malformed, {path.string(), "header length", std::to_string(length), "at most " + std::to_string(kMaxHeaderBytes)});
    if (length > size - 8)
        throw Error::at(ErrorKind::Malformed, {path.string(), "header length", std::to_string(length),
                                               "at most " + std::to_string(size - 8) + " in a file of " + std::to_string(size) + " bytes"});
    std::string text(std::size_t(length), '\0');
    file.m_file.read(8, length, text.data());
    file.m_dataStart = 8 + length;

    SafetensorsHeader header = parseSafetensorsHeader(text, size - file.m_dataStart, path.string());
    file.m_metadata = std::move(header.metadata);
    file.m_tensors = std::move(header.tensors);
    file.m_notes = std::move(header.notes);
    file.m_byName.resize(file.m_tensors.size());
    std::iota(file.m_byName.begin(), file.m_byName.end(), std::size_t(0));
    std::sort(file.m_byName.begin(), file.m_byName.end(), [&](std::size_t a, std::size_t b) { return file.m_tensors[a].name < file.m_tensors[b].name; });

    if (fault::hit("safetensors", "truncate")) {
        std::error_code ec;
        fs::resize_file(path, size / 2, ec);
    }
    return file;
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
    throw Error::at(ErrorKind::Malformed, {path().string(), "tensor \"" + std::string(name) + "\"", "missing", "present"});
}

void SafetensorsFile::read(const TensorInfo& info, void* destination) const { read(info, 0, info.bytes(), destination); }

void SafetensorsFile::read(const TensorInfo& info, std::uint64_t offset, std::uint64_t count, void* destination) const
{
    if (offset > info.bytes() || count > info.bytes() - offset)
        throw Error(ErrorKind::Internal, path().string() + ": a read of " + std::to_string(count) + " bytes from " + std::to_string(offset) + " leaves tensor \"" + info.name + "\".");
    m_file.read(m_dataStart + info.begin + offset, count, destination);
    m_file.checkUnchanged();
}

}  // namespace holo::interop
