#include "core/ladder/phase.h"

#include <cmath>
#include <numbers>

namespace holo::ladder {

using std::numbers::pi;

std::int64_t floorMod(std::int64_t value, std::int64_t modulus)
{
    const std::int64_t r = value % modulus;
    return r < 0 ? r + modulus : r;
}

Phase turned(double theta, std::int64_t m)
{
    const double angle = theta * double(m);
    const double rest = std::fma(theta, double(m), -angle);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    return {c - rest * s, s + rest * c};
}

// Folded into the first octant in integers, so that symmetries hold bit for bit.
Phase turnedExactly(std::int64_t a, std::int64_t context, std::int64_t m)
{
    std::int64_t k = floorMod(floorMod(m, 2 * context) * floorMod(a, 2 * context), 2 * context);
    const bool below = k > context;
    if (below)
        k = 2 * context - k;
    const bool left = 2 * k > context;
    if (left)
        k = context - k;
    double c = 0;
    double s = 0;
    if (4 * k > context) {
        // The complement to a quarter turn: π(N − 2k)/2N.
        const double angle = pi * double(context - 2 * k) / (2.0 * double(context));
        c = std::sin(angle);
        s = std::cos(angle);
    } else {
        const double angle = pi * double(k) / double(context);
        c = std::cos(angle);
        s = std::sin(angle);
    }
    return {left ? -c : c, below ? -s : s};
}

}  // namespace holo::ladder
