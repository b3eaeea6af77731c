#include "core/bench/ulp.h"

#include <algorithm>
#include <cmath>

namespace holo::bench {

namespace {

struct Format {
    int mantissa;         // stored bits
    int smallestExponent; // of normal numbers
};

Format formatOf(kernels::Dtype type)
{
    switch (type) {
    case kernels::Dtype::Float32: return {23, -126};
    case kernels::Dtype::BFloat16: return {7, -126};
    case kernels::Dtype::Float16: return {10, -14};
    case kernels::Dtype::Float64: return {52, -1022};
    }
    return {52, -1022};
}

}  // namespace

double ulpAt(kernels::Dtype type, double magnitude)
{
    const Format format = formatOf(type);
    const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), format.smallestExponent) : format.smallestExponent;
    return std::ldexp(1.0, exponent - format.mantissa);
}

double rounded(kernels::Dtype type, double value)
{
    if (type == kernels::Dtype::Float64 || !std::isfinite(value))
        return value;
    const double unit = ulpAt(type, std::abs(value));
    return std::nearbyint(value / unit) * unit;
}

const char* dtypeName(kernels::Dtype type)
{
    switch (type) {
    case kernels::Dtype::Float32: return "fp32";
    case kernels::Dtype::BFloat16: return "bf16";
    case kernels::Dtype::Float16: return "fp16";
    case kernels::Dtype::Float64: return "fp64";
    }
    return "";
}

std::int64_t bytesOf(kernels::Dtype type) { return kernels::sizeOf(type); }

void ErrorCount::add(double result, double reference, double scale)
{
    count(result, reference, std::max(ulpAt(m_type, std::abs(reference)), std::ldexp(scale, -23)));
}

void ErrorCount::addAtScale(double result, double reference, double scale) { count(result, reference, ulpAt(m_type, scale)); }

void ErrorCount::count(double result, double reference, double unit)
{
    const double target = rounded(m_type, reference);
    const double error = std::abs(result - reference);
    m_error += error * error;
    m_norm += reference * reference;
    if (!(error <= m_worst))  // NaN counts as the worst
        m_worst = error;
    const double ulp = std::abs(result - target) / unit;
    if (!(ulp <= m_worstUlp))
        m_worstUlp = ulp;
    if (result == target)
        ++m_exact;
    else if (ulp <= 1)
        ++m_one;
    else if (ulp <= 2)
        ++m_two;
    else
        ++m_more;
}

double ErrorCount::normError() const { return m_error == 0 ? 0 : std::sqrt(m_error / m_norm); }

double ErrorCount::exactShare() const
{
    const auto all = m_exact + m_one + m_two + m_more;
    return all == 0 ? 1 : double(m_exact) / double(all);
}

Json ErrorCount::json() const
{
    return {{"max_error", number(m_worst)},
            {"norm_error", number(normError())},
            {"max_ulp", number(m_worstUlp)},
            {"ulp", {{"exact", m_exact}, {"one", m_one}, {"two", m_two}, {"more", m_more}}},
            {"elements", m_exact + m_one + m_two + m_more}};
}

}  // namespace holo::bench
