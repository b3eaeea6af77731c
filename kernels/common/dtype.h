#pragma once

#include <cstdint>

namespace holo::kernels {

// How elements are stored. Arithmetic is float for the first three and double for Float64, which the references use.
enum class Dtype : std::int32_t { Float32, BFloat16, Float16, Float64 };

constexpr std::int64_t sizeOf(Dtype dtype)
{
    return dtype == Dtype::Float64 ? 8 : dtype == Dtype::Float32 ? 4 : 2;
}

}  // namespace holo::kernels
