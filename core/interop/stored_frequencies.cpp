#include "core/interop/stored_frequencies.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/interop/tensor_values.h"

namespace holo::interop {

std::vector<std::string> frequencyTensors(const TensorSet& tensors)
{
    std::vector<std::string> names;
    for (const TensorSet::Entry& entry : tensors.entries())
        if (entry.info->name.ends_with("inv_freq"))
            names.push_back(entry.info->name);
    return names;
}

std::optional<FrequencyConflict> compareFrequencies(const TensorSet& tensors, const std::string& name, const std::vector<double>& thetas)
{
    const TensorSet::Entry* entry = tensors.find(name);
    if (!entry)
        return std::nullopt;
    if (std::size_t(entry->info->elements()) != thetas.size())
        return FrequencyConflict{name, "shape " + shapeText(entry->info->shape), std::to_string(thetas.size()) + " planes"};
    const std::vector<double> stored = readDoubles(*entry);
    const bool half = entry->info->dtype == "F16";
    const double relative = half ? 0x1p-11 : entry->info->dtype == "BF16" ? 0x1p-8 : 1e-6;
    const double absolute = half ? 0x1p-25 : 0;  // below 2^−14 an F16 loses digits
    for (std::size_t plane = 0; plane < thetas.size(); ++plane)
        if (!(std::abs(stored[plane] - thetas[plane]) <= relative * std::abs(thetas[plane]) + absolute))
            return FrequencyConflict{name, "plane " + std::to_string(plane) + ": " + formatDouble(stored[plane]), formatDouble(thetas[plane])};
    return std::nullopt;
}

void refuseOtherFrequencies(const TensorSet& tensors, const std::vector<double>& thetas)
{
    for (const std::string& name : frequencyTensors(tensors))
        if (const auto conflict = compareFrequencies(tensors, name, thetas))
            throw Error::at(ErrorKind::Unsupported, {tensors.path().string(), "tensor \"" + name + "\"", conflict->found, conflict->expected + " by the config; choose one of both"});
}

}  // namespace holo::interop
