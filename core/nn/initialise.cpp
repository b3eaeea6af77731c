#include "core/nn/initialise.h"

#include <cmath>

#include "core/base/random.h"

namespace holo::nn {

std::uint64_t nameKey(const std::string& name)
{
    std::uint64_t hash = 0xCBF29CE484222325ull;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return hash;
}

void initialise(const at::Tensor& parameter, const std::string& name, Role role, const config::ModelSpec& model, std::uint64_t seed)
{
    float* values = parameter.mutable_data_ptr<float>();
    const std::int64_t count = parameter.numel();
    if (role == Role::One || role == Role::Zero) {
        std::fill(values, values + count, role == Role::One ? 1.0f : 0.0f);
        return;
    }
    if (role == Role::Identity) {
        constexpr float kIdentity[8] = {1, 0, 0, 0, 0, 0, 1, 0};
        for (std::int64_t i = 0; i < count; ++i)
            values[i] = kIdentity[i % 8];
        return;
    }
    const bool truncated = model.init == "normal";
    double deviation = model.initStd;
    if (!truncated)
        deviation = role == Role::Input ? std::sqrt(2.0 / (5.0 * model.hidden)) : 2.0 / (model.layers * std::sqrt(double(model.hidden)));
    RandomStream random(seed, "init", {nameKey(name)});
    for (std::int64_t i = 0; i < count; ++i) {
        double z = random.normal();
        while (truncated && std::abs(z) > 3)
            z = random.normal();
        values[i] = static_cast<float>(deviation * z);
    }
}

}  // namespace holo::nn
