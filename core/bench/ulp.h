#pragma once

#include <cstdint>

#include "core/base/json.h"
#include "kernels/common/dtype.h"

namespace holo::bench {

// Distance of neighbouring values of a storage type at a magnitude.
double ulpAt(kernels::Dtype type, double magnitude);
// A value of double rounded once to a storage type, to nearest, ties to even.
double rounded(kernels::Dtype type, double value);
const char* dtypeName(kernels::Dtype type);  // fp32, bf16, fp16, fp64
std::int64_t bytesOf(kernels::Dtype type);

// How far results lie from float64 ones.
class ErrorCount {
public:
    explicit ErrorCount(kernels::Dtype type) : m_type(type) {}

    // `scale`: size of the numbers that went into the result. Cancellation leaves an error of float arithmetic at that size whatever the
    // storage, so a unit is one ulp of the storage type at the result, but no less than 2^−23 · scale.
    void add(double result, double reference, double scale);
    // The unit is one ulp at `scale`.
    void addAtScale(double result, double reference, double scale);

    double normError() const;     // ‖result − reference‖ / ‖reference‖
    double exactShare() const;    // results that are the reference rounded to the storage type
    double worstUlp() const { return m_worstUlp; }
    double worstError() const { return m_worst; }
    Json json() const;            // {"max_error", "norm_error", "max_ulp", "ulp": {"exact", "one", "two", "more"}, "elements"}

private:
    void count(double result, double reference, double unit);

    kernels::Dtype m_type;
    std::int64_t m_exact = 0, m_one = 0, m_two = 0, m_more = 0;
    double m_error = 0, m_norm = 0, m_worst = 0, m_worstUlp = 0;
};

}  // namespace holo::bench
