#include "core/interop/gather_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/interop/dtype.h"

namespace holo::interop {

namespace {

template <class Stored, class Widen>
void widen(const std::vector<std::byte>& bytes, std::vector<float>& values, const Widen& toFloat)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        values[i] = toFloat(stored);
    }
}

}  // namespace

const std::vector<float>& GatherReader::source(const std::string& name)
{
    if (m_name == name)
        return m_values;
    m_name.clear();
    const TensorSet::Entry* entry = m_tensors.find(name);
    if (!entry)
        throw Error::at(ErrorKind::Malformed, {m_tensors.path().string(), "tensor \"" + name + "\"", "missing", "there"});
    const TensorInfo& info = *entry->info;
    m_values.resize(std::size_t(info.elements()));
    if (info.dtype == "F32") {
        m_tensors.read(*entry, m_values.data());
    } else {
        std::vector<std::byte> bytes(std::size_t(info.bytes()));
        m_tensors.read(*entry, bytes.data());
        if (info.dtype == "F16")
            widen<std::uint16_t>(bytes, m_values, halfToFloat);
        else if (info.dtype == "BF16")
            widen<std::uint16_t>(bytes, m_values, bfloat16ToFloat);
        else if (info.dtype == "F64")
            widen<double>(bytes, m_values, [](double value) { return float(value); });
        else
            throw Error::at(ErrorKind::Unsupported, {entry->file->path().string(), "type of tensor \"" + name + "\"", info.dtype, "F32, F16, BF16 or F64"});
    }
    if (!std::all_of(m_values.begin(), m_values.end(), [](float value) { return std::isfinite(value); }))
        throw Error::at(ErrorKind::Numeric, {entry->file->path().string(), "tensor \"" + name + "\"", "not finite throughout", "finite weights"});
    m_name = name;
    return m_values;
}

void GatherReader::read(const RowGather& gather, float* destination)
{
    std::int64_t width = 1;
    for (std::size_t i = 1; i < gather.shape.size(); ++i)
        width *= gather.shape[i];
    for (const RowGather::Part& part : gather.parts) {
        const std::vector<float>& values = source(part.source);
        if (part.rows.empty()) {
            destination = std::copy(values.begin(), values.end(), destination);
            continue;
        }
        for (const std::int64_t row : part.rows)
            destination = std::copy_n(values.begin() + row * width, width, destination);
    }
}

}  // namespace holo::interop
