#include "core/interop/tensor_values.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/interop/dtype.h"

namespace holo::interop {

namespace {

constexpr std::uint64_t kChunkBytes = 4u << 20;

// Non-finite elements have an exponent of ones in every IEEE format.
template <class Bits>
std::int64_t countNonfinite(const char* bytes, std::size_t size, Bits exponent)
{
    std::int64_t count = 0;
    for (std::size_t i = 0; i + sizeof(Bits) <= size; i += sizeof(Bits)) {
        Bits value;
        std::memcpy(&value, bytes + i, sizeof value);
        count += (value & exponent) == exponent;
    }
    return count;
}

std::int64_t countNonfinite(const std::string& dtype, const char* bytes, std::size_t size)
{
    if (dtype == "F32")
        return countNonfinite<std::uint32_t>(bytes, size, 0x7F800000u);
    if (dtype == "BF16")
        return countNonfinite<std::uint16_t>(bytes, size, 0x7F80u);
    if (dtype == "F16")
        return countNonfinite<std::uint16_t>(bytes, size, 0x7C00u);
    return countNonfinite<std::uint64_t>(bytes, size, 0x7FF0000000000000ull);
}

template <class Stored, class Widen>
void widen(const std::vector<std::byte>& bytes, float* destination, const Widen& toFloat)
{
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Stored)) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + at, sizeof stored);
        *destination++ = toFloat(stored);
    }
}

[[noreturn]] void refuseType(const SafetensorsFile& file, const TensorInfo& info)
{
    throw Error::at(ErrorKind::Unsupported, {file.path().string(), "type of tensor \"" + info.name + "\"", info.dtype, "F32, F16, BF16 or F64"});
}

}  // namespace

void readFloats(const SafetensorsFile& file, const TensorInfo& info, float* destination)
{
    if (info.dtype == "F32")
        return file.read(info, destination);
    if (!isUsedFloat(info.dtype))
        refuseType(file, info);
    std::vector<std::byte> bytes(std::size_t(info.bytes()));
    file.read(info, bytes.data());
    if (info.dtype == "F16")
        widen<std::uint16_t>(bytes, destination, halfToFloat);
    else if (info.dtype == "BF16")
        widen<std::uint16_t>(bytes, destination, bfloat16ToFloat);
    else
        widen<double>(bytes, destination, [](double value) { return float(value); });
}

std::vector<double> readDoubles(const TensorSet::Entry& entry)
{
    const TensorInfo& info = *entry.info;
    if (!isUsedFloat(info.dtype))
        refuseType(*entry.file, info);
    std::vector<char> bytes(std::size_t(info.bytes()));
    entry.file->read(info, bytes.data());
    const auto at = [&]<class T>(std::size_t i, T value) {
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        return value;
    };
    std::vector<double> values(std::size_t(info.elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = info.dtype == "F64" ? at(i, 0.0) : info.dtype == "F32" ? double(at(i, 0.0f)) : double(info.dtype == "F16" ? halfToFloat(at(i, std::uint16_t(0))) : bfloat16ToFloat(at(i, std::uint16_t(0))));
    return values;
}

TensorSummary summarize(const TensorSet::Entry& entry)
{
    const TensorInfo& info = *entry.info;
    TensorSummary summary;
    if (isUsedFloat(info.dtype))
        summary.nonfinite = 0;
    Sha256 digest;
    std::vector<char> chunk(std::size_t(std::min(kChunkBytes, info.bytes())));
    for (std::uint64_t offset = 0; offset < info.bytes(); offset += kChunkBytes) {
        const std::uint64_t count = std::min(kChunkBytes, info.bytes() - offset);
        entry.file->read(info, offset, count, chunk.data());
        digest.add(chunk.data(), std::size_t(count));
        if (summary.nonfinite >= 0)
            summary.nonfinite += countNonfinite(info.dtype, chunk.data(), std::size_t(count));
    }
    summary.sha256 = digest.hex();
    return summary;
}

}  // namespace holo::interop
