#include "core/interop/gather_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/interop/tensor_values.h"

namespace holo::interop {

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
    readFloats(*entry->file, info, m_values.data());
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
