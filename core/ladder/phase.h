#pragma once

#include <cstdint>

namespace holo::ladder {

struct Phase {
    double cos = 1;
    double sin = 0;
};

// cos and sin of m·θ for the float64 θ, however large m is: the rounding error of the product is put back.
Phase turned(double theta, std::int64_t m);

// cos and sin of π·((m·a) mod 2N)/N, reduced in integers: quarter turns are exact, m and m+2N agree bit for bit, m and m+N up to sign (odd a).
// N <= 2^30.
Phase turnedExactly(std::int64_t a, std::int64_t context, std::int64_t m);

// Remainder in 0 … modulus−1, also of negative values.
std::int64_t floorMod(std::int64_t value, std::int64_t modulus);

}  // namespace holo::ladder
